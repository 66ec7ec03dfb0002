import CSandbox

/// The kernel features that confine child processes, beyond limits on memory, time and files.
struct KernelFences: OptionSet {
    let rawValue: Int32

    /// Restricts which files may be read.
    static let landlock = KernelFences(rawValue: Int32(SANDBOX_LANDLOCK))
    /// Restricts which system calls may be made.
    static let seccomp = KernelFences(rawValue: Int32(SANDBOX_SECCOMP))

    /// The features of this kernel.
    static var offered: KernelFences { KernelFences(rawValue: sandbox_offered()) }

    /// A warning for the operator about missing features; nil if none is missing.
    var shortcoming: String? {
        switch (contains(.landlock), contains(.seccomp)) {
        case (true, true): nil
        case (false, true):
            "This kernel has no Landlock. Child processes can't open any file, so that text in SVG "
                + "has no fonts and OpenEXR can't be read."
        case (true, false):
            "This kernel has no seccomp filters. Child processes can read no files but fonts, but may "
                + "make any other system call."
        case (false, false):
            "This kernel has neither Landlock nor seccomp filters. Child processes have the rights "
                + "of this one, within limits on memory, time and files."
        }
    }
}

extension IsolationPolicy {
    /// A warning about features that this kernel lacks to confine children; nil if none is missing.
    package var shortcoming: String? { KernelFences.offered.shortcoming }
}
