/// Runs everything that reads an original before a decoder does: format, header, cost and limits.
/// For the fuzzer.
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
        try ImageFormat.detected(in: original)
    }

    /// Reads the header as that format, whatever the content, unless a library does.
    package func read(_ original: [UInt8], as format: ImageFormat) throws(ImagingError) {
        let header =
            [.svg, .jxl].contains(format)
            ? HeaderReader.undrawn(renditions.map(\.level))
            : try HeaderReader.read(original, format)
        // Before the limits, which are settings.
        let cost = RenderCost(
            header, bytes: original.count, renditions: renditions, levels: Level.defaults)
        guard header.info.width > 0, header.info.height > 0, cost.peak > 0,
            children.deadline(header) > .zero
        else { throw .misconfigured(reason: "an impossible header was read: \(header)") }
        if format == .png { _ = HeaderReader.withoutText(original) }
        _ = ImageFormat.needsMore(head: original)
        if PictureTail.added(to: original, format)?.isEmpty == true {
            throw .misconfigured(reason: "a picture with its end is empty")
        }
        if format == .svg {
            let document = try SVGDocument.checked(original)
            guard
                String(validating: original, as: UTF8.self) == nil
                    || String(validating: document, as: UTF8.self) != nil
            else { throw .misconfigured(reason: "an SVG lost parts of characters") }
        }
        try limits.check(header)
        try policy.check(cost)
    }
}
