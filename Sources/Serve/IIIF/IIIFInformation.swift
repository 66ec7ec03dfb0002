import Imaging
import JSON
import Pipeline

/// The document `info.json`. Pure.
struct IIIFInformation: Sendable {
    /// The URL of the service.
    var id: String
    var level: IIIFLevel
    var size: ZoomSize
    var levels: [Level]
    var limits: IIIFSize.Limits
    /// A URL of a license or rights statement.
    var rights: String?

    private static let protocolName: JSON = "http://iiif.io/api/image"
    private static let qualities: JSON = ["color", "gray", "bitonal"]
    /// What is offered beyond level 2.
    private static let features: [JSON] = [
        "canonicalLinkHeader", "mirroring", "profileLinkHeader",
    ]
    /// What is offered beyond level 0.
    private static let featuresOfWholes: [JSON] =
        features + [
            "baseUriRedirect", "cors", "jsonldMediaType", "rotationBy90s", "sizeByConfinedWh",
            "sizeByH", "sizeByPct", "sizeByW", "sizeByWh",
        ]

    func json(_ version: IIIFVersion) -> [UInt8] {
        (version == .three ? three : two).sortedBytes
    }

    /// The sizes of the levels, the smallest first. Viewers that have no tiles take the last one, which
    /// is the largest that is made.
    private var sizes: JSON {
        var seen: Set<ZoomSize> = []
        let largest = level == .zero ? [limits.largest(of: size)] : []
        let all = (levels.map { size.fitting($0) } + largest)
            .filter { seen.insert($0).inserted }
            .sorted { $0.width * $0.height < $1.width * $1.height }
        return .list(all.map { .size($0.width, $0.height) })
    }

    private var tiles: JSON? {
        guard level == .two else { return nil }
        return [
            [
                "width": .integer(PyramidTable.side), "height": .integer(PyramidTable.side),
                "scaleFactors": .list(size.scaleFactors.map(JSON.integer)),
            ]
        ]
    }

    /// - Parameters:
    ///   - upscaling: the version's name for it.
    ///   - more: what the level doesn't have in this version alone.
    private func features(upscaling: JSON, more: [JSON] = []) -> JSON {
        .list(
            (level == .two ? Self.features : Self.featuresOfWholes) + more
                + (limits.maxUpscale > 1 ? [upscaling] : []))
    }

    private var three: JSON {
        var document: JSON = [
            "@context": .text(IIIFVersion.three.context), "id": .text(id),
            "type": "ImageService3", "protocol": Self.protocolName,
            "profile": .text(level.rawValue), "maxArea": .integer(limits.maxPixels),
            "sizes": sizes, "preferredFormats": ["jpg"],
            "extraFormats": level == .two ? ["webp"] : ["png", "webp"],
            "extraQualities": Self.qualities,
            "extraFeatures": features(upscaling: "sizeUpscaling"),
        ]
        document.add("tiles", tiles)
        document.add("rights", rights.map(JSON.text))
        return document + .size(size.width, size.height)
    }

    private var two: JSON {
        var document: JSON = [
            "@context": .text(IIIFVersion.two.context), "@id": .text(id),
            "protocol": Self.protocolName, "sizes": sizes,
            "profile": [
                .text(IIIFVersion.two.profile(level)),
                [
                    "formats": ["jpg", "png", "webp"],
                    "qualities": ["default", "color", "gray", "bitonal"],
                    "supports": features(
                        upscaling: "sizeAboveFull",
                        more: [level == .two ? "regionSquare" : "sizeByDistortedWh"]),
                    "maxArea": .integer(limits.maxPixels),
                ],
            ],
        ]
        document.add("tiles", tiles)
        document.add("license", rights.map(JSON.text))
        return document + .size(size.width, size.height)
    }
}
