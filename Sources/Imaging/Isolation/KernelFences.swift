import CSandbox

/// What a kernel can hold child processes to, beyond limits on memory, time and files.
struct KernelFences: OptionSet {
    let rawValue: Int32

    /// Which files may be read.
    static let landlock = KernelFences(rawValue: Int32(SANDBOX_LANDLOCK))
    /// Which system calls may be made.
    static let seccomp = KernelFences(rawValue: Int32(SANDBOX_SECCOMP))

    /// Those of this kernel.
    static var offered: KernelFences { KernelFences(rawValue: sandbox_offered()) }

    /// What that means for pictures, in a sentence for the operator; `nil` where nothing is missing.
    var shortcoming: String? {
        switch (contains(.landlock), contains(.seccomp)) {
        case (true, true): nil
        case (false, true):
            "This kernel has no Landlock: child processes open no file at all, so that text in SVG "
                + "has no fonts and OpenEXR can't be read."
        case (true, false):
            "This kernel has no seccomp filters: child processes are held to reading fonts, but may "
                + "make any other system call."
        case (false, false):
            "This kernel has neither Landlock nor seccomp filters: child processes have the rights "
                + "of this one, within limits on memory, time and files."
        }
    }
}

extension IsolationPolicy {
    /// What this kernel lacks to hold children to what they may do, as a sentence; nil if nothing is
    /// missing.
    package var shortcoming: String? { KernelFences.offered.shortcoming }
}
