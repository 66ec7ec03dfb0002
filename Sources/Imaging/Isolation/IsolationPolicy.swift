/// Which pictures are rendered in child processes, and what those are held to.
package struct IsolationPolicy: Sendable, Equatable {
    package enum Scope: String, Sendable, CaseIterable {
        /// Everything in this process but SVG, OpenEXR and Radiance.
        case none
        /// All but JPEG, PNG and WebP, whose decoders are the best tried.
        case others
        case all
    }

    package var scope = Scope.none
    /// The program and its arguments that call ``RenderChild/run()``.
    package var executable = "/proc/self/exe"
    package var arguments = ["render-child"]
    /// Renders after which a child is replaced: what a library leaks goes with it.
    package var jobs = 500
    /// Children that are kept for the next picture of their source; each takes about 10 MB. A source
    /// that has none left waits some milliseconds for another.
    package var idle = 8
    /// Bytes of memory of one child (RLIMIT_DATA). The original and the thumbnails, which it shares, are
    /// not among them.
    package var memory = 512 << 20
    /// Bytes that the kernel lets a child map as data: its memory, and what the kernel counts although
    /// a renderer doesn't touch it, such as most of its threads' stacks.
    var dataLimit: Int { memory + (64 << 20) }
    /// Processor time for a picture, and for each of its megapixels on top; the clock on the wall may
    /// show four times that. Broken pictures hang, so most of them end within the first.
    package var deadline: Duration = .milliseconds(1_500)
    package var deadlinePerMegapixel: Duration = .milliseconds(400)

    package init() {}

    func isolates(_ format: ImageFormat) -> Bool {
        if format.isAlwaysIsolated { return true }
        return switch scope {
        case .none: false
        case .all: true
        case .others: format != .jpeg && format != .png && format != .webp
        }
    }
}

extension ImageFormat {
    /// Whether a picture is only ever read in a child process: nothing but the end of a process bounds
    /// what librsvg and the HDR loaders of libvips may take.
    var isAlwaysIsolated: Bool { self == .svg || self == .exr || self == .hdr }

    /// Whether the decoder takes nothing but a file.
    var isReadFromFile: Bool { self == .exr }
}
