/// Everything that a process reads of an original before a decoder has it, for the fuzzer: format,
/// header, cost and limits.
package struct HeaderProbe: Sendable {
    private let limits: Limits
    private let policy: RenderPolicy
    private let children: ChildPool
    private let renditions: [Rendition]

    package init(_ configuration: ImagingConfiguration) {
        limits = Limits(configuration)
        policy = RenderPolicy(configuration, cores: 2)
        children = ChildPool(configuration.isolation, limits)
        renditions = Level.defaults.map { Rendition(level: $0, format: .webp) }
    }

    package func format(of original: [UInt8]) throws(ImagingError) -> ImageFormat {
        try ImageFormat.told(of: original)
    }

    /// Reads the header as one of that format, whatever the first bytes say.
    package func read(_ original: [UInt8], as format: ImageFormat) throws(ImagingError) {
        let header =
            format == .svg
            ? Header.undrawn(renditions.map(\.level)) : try Header.read(original, format)
        // Also of what the limits refuse: they are settings.
        let cost = RenderCost(header, bytes: original.count, renditions: renditions)
        guard header.info.width > 0, header.info.height > 0, cost.peak > 0,
            children.deadline(header) > .zero
        else { throw .misconfigured(reason: "a header was read that can't be: \(header)") }
        if format == .png { _ = PNGText.removed(from: original) }
        try limits.check(header)
        try policy.check(cost)
    }
}
