import Imaging
import Pipeline

/// A IIIF image request as its path says it. Pure.
struct IIIFImage: Sendable, Equatable {
    let version: IIIFVersion
    let region: IIIFRegion
    let size: IIIFSize
    let isMirrored: Bool
    /// Quarters of a turn, clockwise: 0…3.
    let quarters: Int
    let colors: PictureCut.Colors
    let format: ThumbnailFormat

    /// Formats that the specifications name and this service doesn't make.
    private static let otherFormats: Set<String> = ["tif", "tiff", "gif", "jp2", "pdf"]

    /// - Parameter name: `default.jpg`
    init(
        _ version: IIIFVersion, region: String, size: String, rotation: String, name: String
    ) throws(IIIFError) {
        self.version = version
        self.region = try IIIFRegion(region)
        self.size = try IIIFSize(size, version)
        (isMirrored, quarters) = try Self.turn(rotation)
        guard let dot = name.lastIndex(of: ".") else {
            throw .bad("“\(name)” has no format. Use default.jpg, default.png or default.webp.")
        }
        colors = try Self.colors(name[..<dot])
        format = try Self.format(name[name.index(after: dot)...])
    }

    private static func turn(_ text: String) throws(IIIFError) -> (Bool, Int) {
        let isMirrored = text.hasPrefix("!")
        guard let degrees = Double(iiif: text.dropFirst(isMirrored ? 1 : 0)),
            degrees <= 360
        else {
            throw .bad(
                "“\(text)” is not a rotation. Use 0, 90, 180 or 270, with ! in front to mirror.")
        }
        guard degrees.truncatingRemainder(dividingBy: 90) == 0 else {
            throw .notOffered("Pictures are turned by 0, 90, 180 or 270 degrees only.")
        }
        return (isMirrored, Int(degrees) / 90 % 4)
    }

    private static func colors(_ text: Substring) throws(IIIFError) -> PictureCut.Colors {
        switch text {
        case "default", "color": .all
        case "gray": .gray
        case "bitonal": .bitonal
        default: throw .bad("“\(text)” is not a quality. Use default, color, gray or bitonal.")
        }
    }

    private static func format(_ text: Substring) throws(IIIFError) -> ThumbnailFormat {
        switch text {
        case "jpg": return .jpeg
        case "png": return .png
        case "webp": return .webp
        default:
            if otherFormats.contains(String(text)) {
                throw .notOffered("The format “\(text)” is not made here. Use jpg, png or webp.")
            }
            throw .bad("“\(text)” is not a format. Use jpg, png or webp.")
        }
    }

    /// Returns what is wanted of a picture of that size.
    func resolved(
        in whole: ZoomSize, _ limits: IIIFSize.Limits
    ) throws(IIIFError) -> ZoomRequest {
        let part = try region.resolved(in: whole)
        let out = try size.resolved(
            for: ZoomSize(width: part.width, height: part.height), limits)
        var request = ZoomRequest(
            x: part.x, y: part.y, width: part.width, height: part.height, outWidth: out.width,
            outHeight: out.height)
        request.isMirrored = isMirrored
        request.quarters = quarters
        request.colors = colors
        request.format = format
        return request
    }

    /// Returns the end of the canonical URL of what is wanted.
    static func canonicalPath(
        _ request: ZoomRequest, of whole: ZoomSize, _ version: IIIFVersion,
        _ limits: IIIFSize.Limits
    ) -> String {
        let part =
            request.isWhole(of: whole)
            ? "full" : "\(request.x),\(request.y),\(request.width),\(request.height)"
        let region = ZoomSize(width: request.width, height: request.height)
        let out = ZoomSize(width: request.outWidth, height: request.outHeight)
        let isLarger = out.width > region.width || out.height > region.height
        let size: String
        switch version {
        case .three:
            size =
                out == limits.largest(of: region)
                ? "max"
                : "\(isLarger ? "^" : "")\(out.width),\(out.height)"
        case .two:
            let height = IIIFSize.other(out.width, region.width, region.height)
            size =
                out == region
                ? "full" : height == out.height ? "\(out.width)," : "\(out.width),\(out.height)"
        }
        let rotation = "\(request.isMirrored ? "!" : "")\(request.quarters * 90)"
        let quality =
            switch request.colors {
            case .all: "default"
            case .gray: "gray"
            case .bitonal: "bitonal"
            }
        return "\(part)/\(size)/\(rotation)/\(quality).\(request.format.fileExtension)"
    }
}
