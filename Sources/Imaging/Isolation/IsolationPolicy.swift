import CSandbox

/// Which pictures are rendered in child processes, and the limits of these.
package struct IsolationPolicy: Sendable, Equatable {
    /// Whether all pictures are. Without it only SVG, OpenEXR and Radiance are, for tests and
    /// measurements.
    package var isOn = false
    /// Whether plain JPEGs are rendered in this process all the same: for a command that renders the files
    /// of its user and ends. Starting children would take longer than many a picture.
    package var sparesPlainJPEGs = false
    /// A program that calls ``RenderChild/run()``, and its arguments.
    package var executable = "/proc/self/exe"
    package var arguments = ["render-child"]
    /// Renders after which a child is replaced, so that leaks of libraries end with it.
    package var jobs = 500
    /// Idle children kept for the next picture of their source; each takes about 10 MB. A source
    /// without one waits some milliseconds for a new one.
    package var idle = 8
    /// Limit of a child's memory in bytes (RLIMIT_DATA), without the shared original and thumbnails. While
    /// it renders a picture, what is predicted for that is the limit.
    package var memory = 512 << 20
    /// Bytes that a child may map as data: its memory, and pages that the kernel counts although
    /// they are never touched, such as most of its threads' stacks.
    var dataLimit: Int { memory + Self.untouched }
    static let untouched = 64 << 20
    /// Bytes of a thread's stack, all of which count although few are touched. libvips wants as many, and
    /// libaom starts several threads for each picture.
    static let stack = 2 << 20
    /// Bytes of its own that a child may hold between pictures: what a new one has, and twice the heap
    /// that it keeps. One that holds more is replaced.
    static let held = 48 << 20
    /// Processor time per picture, and per megapixel on top; four times as much may pass on the
    /// clock. Broken pictures that hang mostly end within the first.
    package var deadline: Duration = .milliseconds(1_500)
    package var deadlinePerMegapixel: Duration = .milliseconds(400)

    /// Time on the clock that a picture may take, in that of the processor. A render beyond it is
    /// repeated later, because the machine is too busy.
    package var clockFactor = RenderDeadline.clockFactor
    /// Time of a call to the process that starts children, which takes milliseconds. A machine that
    /// swaps needs seconds to load the libraries.
    var callLimit: Duration = .seconds(10)

    package init() {}

    /// A warning about features that this kernel lacks to confine children; nil if none is missing.
    package var shortcoming: String? {
        let offered = sandbox_offered()
        return Self.shortcoming(
            hasLandlock: offered & Int32(SANDBOX_LANDLOCK) != 0,
            hasSeccomp: offered & Int32(SANDBOX_SECCOMP) != 0)
    }

    /// Returns a warning for the operator about missing features; nil if none is missing.
    ///
    /// - Parameters:
    ///   - hasLandlock: whether the kernel restricts which files may be read.
    ///   - hasSeccomp: whether the kernel restricts which system calls may be made.
    static func shortcoming(hasLandlock: Bool, hasSeccomp: Bool) -> String? {
        switch (hasLandlock, hasSeccomp) {
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

extension ImageFormat {
    /// Whether a picture is only ever read in a child process: nothing else bounds the time and
    /// memory of librsvg and of libvips' HDR loaders.
    var isAlwaysIsolated: Bool {
        switch self {
        case .svg, .jxl, .jp2, .exr, .hdr: true
        case .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .bmp: false
        }
    }

    /// Whether a child reads the header, too.
    var isSizedByChild: Bool {
        switch self {
        case .jxl, .jp2, .exr: true
        case .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .svg, .bmp, .hdr: false
        }
    }

    /// Whether the decoder reads from a file only.
    var isReadFromFile: Bool { self == .exr }
}
