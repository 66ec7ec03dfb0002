import Imaging
import Pipeline

/// The document `info.json`. Pure.
struct IIIFInformation: Sendable {
    /// The URL of the service.
    var id: String
    var size: ZoomSize
    var levels: [Level]
    var limits: IIIFSize.Limits
    /// A URL of a license or rights statement.
    var rights: String?

    private static let protocolName: JSONValue = "http://iiif.io/api/image"
    private static let qualities: JSONValue = ["color", "gray", "bitonal"]
    /// What is offered beyond level 2.
    private static let features: [JSONValue] = [
        "canonicalLinkHeader", "mirroring", "profileLinkHeader",
    ]

    func json(_ version: IIIFVersion) -> [UInt8] {
        JSON.encode(version == .three ? three : two)
    }

    private var sides: [String: JSONValue] {
        ["width": .integer(size.width), "height": .integer(size.height)]
    }

    /// The sizes of the levels, the smallest first.
    private var sizes: JSONValue {
        var seen: Set<ZoomSize> = []
        let all = levels.map { size.fitting($0) }.filter { seen.insert($0).inserted }
            .sorted { $0.width * $0.height < $1.width * $1.height }
        return .list(all.map { ["width": .integer($0.width), "height": .integer($0.height)] })
    }

    private var tiles: JSONValue {
        [
            [
                "width": .integer(PyramidTable.side), "height": .integer(PyramidTable.side),
                "scaleFactors": .list(size.scaleFactors.map(JSONValue.integer)),
            ]
        ]
    }

    private var more: [JSONValue] {
        limits.maxUpscale > 1 ? Self.features + ["sizeUpscaling"] : Self.features
    }

    private var three: JSONValue {
        var document: [String: JSONValue] = [
            "@context": .text(IIIFVersion.three.context), "id": .text(id),
            "type": "ImageService3", "protocol": Self.protocolName, "profile": "level2",
            "maxArea": .integer(limits.maxPixels), "sizes": sizes, "tiles": tiles,
            "preferredFormats": ["jpg"], "extraFormats": ["webp"],
            "extraQualities": Self.qualities, "extraFeatures": .list(more),
        ]
        document.merge(sides) { $1 }
        if let rights { document["rights"] = .text(rights) }
        return .object(document)
    }

    private var two: JSONValue {
        var document: [String: JSONValue] = [
            "@context": .text(IIIFVersion.two.context), "@id": .text(id),
            "protocol": Self.protocolName, "sizes": sizes, "tiles": tiles,
            "profile": [
                .text(IIIFVersion.two.profile),
                [
                    "formats": ["jpg", "png", "webp"],
                    "qualities": ["default", "color", "gray", "bitonal"],
                    "supports": .list(
                        Self.features + ["regionSquare"]
                            + (limits.maxUpscale > 1 ? ["sizeAboveFull"] : [])),
                    "maxArea": .integer(limits.maxPixels),
                ],
            ],
        ]
        document.merge(sides) { $1 }
        if let rights { document["license"] = .text(rights) }
        return .object(document)
    }
}
