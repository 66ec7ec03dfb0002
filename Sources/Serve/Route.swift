import Catalog
package import HTTPTypes
package import Hashing
package import Imaging
import Store

/// The grammar of paths: parses requested paths and writes the links in responses. Pure.
package enum Route: Sendable, Equatable {
    /// `/t/{level}/{source}/{kind}/{id}[.ext]`
    case thumbnail(level: String, source: String, kind: String, id: String, ThumbnailFormat?)
    /// `/o/{source}/{kind}/{id}`
    case original(source: String, kind: String, id: String)
    /// `/b/sha256-{hex}[.ext]`; the extension is only for people. The content decides the media
    /// type.
    case blob(Digest)
    /// `/v1`: sources, lists, levels and formats.
    /// `/v1/{source}/…`: a list or an item; the source decides which.
    case catalog(source: String, rest: [String])
    /// `/sheet/{level}/{source}/{list}[.ext]`
    case sheet(level: String, source: String, list: String, SheetForm)
    /// `/iiif/{version}/{identifier}/…`
    case iiif(IIIFRoute)
    /// `/iiif/presentation/3/{source}/{list}?…`
    case collection(source: String, list: String)
    /// `/iiif/presentation/3/{identifier}/manifest`
    case manifest(identifier: String)
    /// `/v1/favorites`
    case favorites
    /// `/v1/favorites/{source}/{kind}/{id}`
    case favorite(source: String, kind: String, id: String)
    /// `/v1/history`
    case history
    /// `/v1/recent`: what is stored of a source.
    case recent
    /// `/v1/explain/{source}/{kind}/{id}`: where an item's picture comes from.
    case explanation(source: String, kind: String, id: String)
    /// `/v1/status`
    case status
    /// `/admin/warm`
    case warm
    /// `/admin/warm/{id}`
    case warmRun(String)
    /// `/admin/purge`
    case purge
    /// `/admin/block`
    case blocks
    /// `/admin/block/…`: an item, a URL, the beginning of items with a `*`, or a digest.
    case block(String)
    case health
    case readiness
    case metrics
    /// `/v1`: what the service offers.
    case service
    /// `/openapi.json`
    case description
    /// `/robots.txt`
    case robots
    /// `/`
    case gallery

    /// Why a path is invalid.
    package enum Failure: Error, Equatable {
        case unknown
        /// The percent-encoding is broken, or hides `/`, `..` or control characters.
        case malformed(reason: String)
        case unknownFormat(String)
        case badDigest
        /// The target has more bytes than `limit`.
        case tooLong(limit: Int)
    }

    /// Parses a path as sent, without the query.
    ///
    /// - Throws: ``Failure``, but never ``Failure/tooLong(limit:)``, which ``RequestTarget`` throws.
    package init(path: Substring) throws(Failure) {
        var segments: [String] = []
        let identifier = Self.placeOfIdentifier(path)
        for raw in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            // The identifier of an item has slashes in it, and a URL has.
            segments.append(
                segments.count == identifier
                    ? try Self.decodeSegments(raw) : try Self.decodeSegment(raw))
        }
        if let file = Self.file(segments) {
            self = file
            return
        }
        switch (segments.first, segments.count) {
        case ("t", 5):
            let (id, format) = try Self.splitExtension(segments[4])
            self = .thumbnail(
                level: segments[1], source: segments[2], kind: segments[3], id: id, format)
        case ("o", 4):
            self = .original(source: segments[1], kind: segments[2], id: segments[3])
        case ("b", 2):
            self = .blob(try Self.digest(segments[1]))
        case ("sheet", 4...):
            let (last, form) = try SheetForm.split(segments[segments.count - 1])
            self = .sheet(
                level: segments[1], source: segments[2],
                list: (segments[3..<segments.count - 1] + [last]).joined(separator: "/"), form)
        case ("iiif", 5...) where segments[1] == "presentation":
            self = try Self.presentation(segments)
        case ("iiif", 3...): self = .iiif(try Self.iiif(segments))
        case ("v1", 1): self = .service
        case ("v1", 2) where segments[1] == "favorites": self = .favorites
        case ("v1", 2) where segments[1] == "history": self = .history
        case ("v1", 2) where segments[1] == "recent": self = .recent
        case ("v1", 2) where segments[1] == "status": self = .status
        case ("v1", 5) where segments[1] == "explain":
            self = .explanation(source: segments[2], kind: segments[3], id: segments[4])
        case ("v1", 5) where segments[1] == "favorites":
            self = .favorite(source: segments[2], kind: segments[3], id: segments[4])
        case ("v1", 3...):
            self = .catalog(source: segments[1], rest: Array(segments[2...]))
        case ("admin", 2) where segments[1] == "warm": self = .warm
        case ("admin", 3) where segments[1] == "warm": self = .warmRun(segments[2])
        case ("admin", 2) where segments[1] == "purge": self = .purge
        case ("admin", 2) where segments[1] == "block": self = .blocks
        case ("admin", 3...) where segments[1] == "block":
            self = .block(segments[2...].joined(separator: "/"))
        case ("healthz", 1): self = .health
        case ("readyz", 1): self = .readiness
        case ("metrics", 1): self = .metrics
        case ("openapi.json", 1): self = .description
        case ("robots.txt", 1): self = .robots
        case ("", 1): self = .gallery
        default: throw .unknown
        }
    }

    /// Returns the route of a file below a folder, whose path may have slashes. The extension belongs to
    /// its name: whether it stands for a format depends on the files that exist.
    private static func file(_ segments: [String]) -> Route? {
        func id(from index: Int) -> String? {
            guard segments.count > index, segments[index - 1] == FolderSource.kind else {
                return nil
            }
            return segments[index...].joined(separator: "/")
        }
        switch segments.first {
        case "t":
            return id(from: 4).map {
                .thumbnail(
                    level: segments[1], source: segments[2], kind: segments[3], id: $0, nil)
            }
        case "o":
            return id(from: 3).map { .original(source: segments[1], kind: segments[2], id: $0) }
        case "v1" where segments.count > 1 && segments[1] == "favorites":
            return id(from: 4).map { .favorite(source: segments[2], kind: segments[3], id: $0) }
        case "v1" where segments.count > 1 && segments[1] == "explain":
            return id(from: 4).map { .explanation(source: segments[2], kind: segments[3], id: $0) }
        case "v1":
            return id(from: 3).map { .catalog(source: segments[1], rest: [segments[2], $0]) }
        default: return nil
        }
    }

    /// The methods that the route allows. HEAD is GET without the body.
    package var methods: [HTTPRequest.Method] {
        switch self {
        case .thumbnail, .original, .blob, .service, .catalog, .sheet, .iiif, .collection,
            .manifest,
            .recent, .explanation, .status, .health, .readiness, .metrics, .description, .robots,
            .gallery:
            [.get, .head]
        case .favorites: [.get, .head, .put]
        case .warmRun: [.get, .head, .delete]
        case .warm: [.get, .head, .post]
        case .purge: [.post]
        case .blocks: [.get, .head]
        case .block: [.get, .head, .put, .delete]
        case .favorite: [.get, .head, .put, .delete]
        case .history: [.get, .head, .delete]
        }
    }

    /// The name of the source that it is about; nil if it is about none or several.
    var source: String? {
        switch self {
        case .thumbnail(_, let source, _, _, _), .original(let source, _, _),
            .catalog(let source, _), .sheet(_, let source, _, _), .favorite(let source, _, _),
            .explanation(let source, _, _):
            source
        case .blob, .service, .iiif, .collection, .manifest, .favorites, .history, .recent,
            .status, .warm,
            .warmRun, .purge, .blocks, .block, .health, .readiness, .metrics, .description, .robots,
            .gallery:
            nil
        }
    }

    /// Whether only the operator and what watches the service ask it.
    var isOfOperator: Bool {
        switch self {
        case .metrics, .readiness, .warm, .warmRun, .purge, .blocks, .block: true
        case .thumbnail, .original, .blob, .service, .catalog, .sheet, .iiif, .collection,
            .manifest,
            .favorites, .favorite, .history, .recent, .explanation, .status, .health, .description,
            .robots, .gallery:
            false
        }
    }

    /// Whether pages of other sites must not use it.
    var isPrivate: Bool {
        switch self {
        case .favorites, .favorite, .history, .recent, .explanation, .warm, .warmRun, .purge,
            .blocks,
            .block:
            true
        case .thumbnail, .original, .blob, .service, .catalog, .sheet, .iiif, .collection,
            .manifest,
            .status, .health, .readiness, .metrics, .description, .robots, .gallery:
            false
        }
    }

    /// The path of a thumbnail whose format is negotiated.
    package static func thumbnailPath(level: String, item: String) -> String {
        "/t/\(level)/\(PercentCoding.encoded(item, keeping: "/"))"
    }

    private static func splitExtension(
        _ name: String
    ) throws(Failure) -> (id: String, ThumbnailFormat?) {
        guard let dot = name.lastIndex(of: ".") else { return (name, nil) }
        let suffix = String(name[name.index(after: dot)...])
        guard let format = ThumbnailFormat(fileExtension: suffix) else {
            throw .unknownFormat(suffix)
        }
        return (String(name[..<dot]), format)
    }

    /// Returns the number of the segment that may contain encoded slashes; nil if none may.
    private static func placeOfIdentifier(_ path: Substring) -> Int? {
        if path.hasPrefix("/admin/block/") { return 2 }
        guard path.hasPrefix("/iiif/") else { return nil }
        return path.hasPrefix("/iiif/presentation/") ? 3 : 2
    }

    private static func presentation(_ segments: [String]) throws(Failure) -> Route {
        guard segments[2] == "3", segments.allSatisfy({ !$0.isEmpty }) else { throw .unknown }
        if segments[3].contains("/") {
            guard segments.count == 5, segments[4] == "manifest" else { throw .unknown }
            return .manifest(identifier: segments[3])
        }
        return .collection(source: segments[3], list: segments[4...].joined(separator: "/"))
    }

    private static func iiif(_ segments: [String]) throws(Failure) -> IIIFRoute {
        guard let version = Int(segments[1]).flatMap(IIIFVersion.init(rawValue:)),
            !segments[2].isEmpty
        else { throw .unknown }
        let part: IIIFRoute.Part
        switch segments.count {
        case 3: part = .base
        case 4 where segments[3] == "info.json": part = .information
        case 7:
            part = .image(
                region: segments[3], size: segments[4], rotation: segments[5], name: segments[6])
        default: throw .unknown
        }
        return IIIFRoute(version: version, identifier: segments[2], part: part)
    }

    private static func digest(_ name: String) throws(Failure) -> Digest {
        let stem = name.prefix { $0 != "." }
        guard stem.hasPrefix("sha256-"), let digest = Digest(hex: String(stem.dropFirst(7))) else {
            throw .badDigest
        }
        return digest
    }
}

// Percent-decoding of paths and queries, as requests may have them (RFC 3986).
extension Route {
    /// Decodes one segment of a path. Rejects `.`, `..`, encoded slashes and control characters, so
    /// that routing sees exactly what was validated.
    static func decodeSegment(_ raw: Substring) throws(Failure) -> String {
        guard let text = PercentCoding.decoded(raw) else {
            throw .malformed(reason: "The path has broken percent-encoding.")
        }
        guard text != ".", text != ".." else {
            throw .malformed(reason: "The path must not contain “.” or “..” segments.")
        }
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f })
        else {
            throw .malformed(
                reason: "The path must not contain an encoded slash or control characters.")
        }
        return text
    }

    /// Decodes a segment that may contain encoded slashes. Each part between them is checked like a
    /// segment.
    static func decodeSegments(_ raw: Substring) throws(Failure) -> String {
        var parts: [String] = []
        for part in raw.replacing("%2f", with: "%2F").split(
            separator: "%2F", omittingEmptySubsequences: false)
        {
            parts.append(try decodeSegment(part))
        }
        return parts.joined(separator: "/")
    }

    /// Returns all name and value pairs in order, including repeated names.
    static func decodeQuery(_ query: Substring) throws(Failure) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for part in query.split(separator: "&") {
            let halves = part.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decoded(halves[0], isForm: true),
                let value = PercentCoding.decoded(
                    halves.count > 1 ? halves[1] : "", isForm: true)
            else { throw .malformed(reason: "The query has broken percent-encoding.") }
            guard !(name + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                throw .malformed(reason: "The query must not contain control characters.")
            }
            pairs.append((name, value))
        }
        return pairs
    }
}

extension Route {
    /// The requested form of a contact sheet: a picture, or the rectangles on it.
    package enum SheetForm: Sendable, Equatable {
        /// A picture. Without a format, `Accept` decides.
        case picture(ThumbnailFormat?)
        /// The rectangles as JSON.
        case rectangles

        /// The allowed formats. Other formats take too long for so many pixels.
        private static let formats: [ThumbnailFormat] = [.webp, .jpeg]

        /// Splits the extension off the last part of a list's name. Names of lists contain no dots.
        static func split(_ name: String) throws(Failure) -> (name: String, SheetForm) {
            guard let dot = name.lastIndex(of: ".") else { return (name, .picture(nil)) }
            let (stem, suffix) = (
                String(name[..<dot]), name[name.index(after: dot)...].lowercased()
            )
            if suffix == "json" { return (stem, .rectangles) }
            guard let format = ThumbnailFormat(fileExtension: suffix), formats.contains(format)
            else {
                throw .unknownFormat(suffix)
            }
            return (stem, .picture(format))
        }
    }
}

extension ThumbnailFormat {
    /// Finds a format by extension, ignoring case: `jpg`, `jpeg`, `webp`, `avif`, `png`.
    package init?(fileExtension: String) {
        let wanted = fileExtension.lowercased()
        if wanted == "jpeg" {
            self = .jpeg
            return
        }
        guard let format = Self.allCases.first(where: { $0.fileExtension == wanted }) else {
            return nil
        }
        self = format
    }
}
