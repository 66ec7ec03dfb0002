import Catalog
import HTTP
import Imaging
import Pipeline

/// What targets of pictures name. Reads nothing but memory.
struct PictureTargets: Sendable {
    let pipeline: MediaPipeline

    /// A target and what it names.
    struct Meaning {
        /// The name under which the picture is kept.
        var item: Item
        /// Whether the target names a row of a list, which can show another picture at any time.
        var isOfRow = false
        var level: Level
        var format: ThumbnailFormat
        var isNegotiated: Bool
        var expires: Int?
    }

    /// The only query that means something.
    private static let expiry = Array("expires=".utf8)

    /// See ``HitSource/significantCount(_:query:)``.
    func significantCount(_ target: UnsafeRawBufferPointer, query: Int) -> Int? {
        let path = target.prefix(query - 1)
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        if HitRoute(target) == .sheet { return target.count }
        let text = target[query...]
        // A parameter can be hidden, or its encoding be broken, which is refused.
        if text.contains(UInt8(ascii: "%")),
            Self.isSigned(path)
                || (try? Route.decodeQuery(Substring(decoding: text, as: UTF8.self))) == nil
        {
            return nil
        }
        guard Self.isSigned(path) else { return path.count }
        // The first parameter of that name counts.
        if text.starts(with: Self.expiry) {
            let digits = text.dropFirst(Self.expiry.count).prefix { (0x30...0x39).contains($0) }
            let isLast = digits.endIndex == text.endIndex
            guard (1...12).contains(digits.count),
                isLast || text[digits.endIndex] == UInt8(ascii: "&")
            else { return nil }
            return digits.endIndex
        }
        let hasExpiry = text.split(separator: UInt8(ascii: "&")).contains {
            $0.elementsEqual(Self.expiry.dropLast()) || $0.starts(with: Self.expiry)
        }
        return hasExpiry ? nil : path.count
    }

    /// Returns whether a path names a picture at any URL: `/t/{level}/url/…`.
    private static func isSigned(_ path: Slice<UnsafeRawBufferPointer>) -> Bool {
        let parts = path.split(
            separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false)
        return parts.count > 3 && parts[3].elementsEqual(SignedURL.name.utf8)
    }

    /// Returns what a target means, or nil if it is not canonical, not a picture's, or of a row that
    /// isn't known. Clients can spell a target in any number of ways. The responder answers those, and
    /// everything that is refused.
    func meaning(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8
    ) -> Meaning? {
        let negotiated = ThumbnailFormat(negotiated: representation)
        let text = String(decoding: target, as: UTF8.self)
        let halves = text.split(separator: "?", maxSplits: 1)
        guard let path = halves.first, let route = try? Route(path: path),
            case .thumbnail(let level, let source, let kind, let id, let fixed) = route,
            pipeline.sources.isOffered(source), let level = try? pipeline.level(level)
        else { return nil }
        if kind == FolderSource.kind {
            return halves.count > 1
                ? nil : fileMeaning(text, level, source, id, negotiated, representation)
        }
        var expires: Int?
        let isSigned = source == SignedURL.name
        if halves.count > 1 {
            guard isSigned, let end = Int(halves[1].dropFirst(Self.expiry.count)) else {
                return nil
            }
            expires = end
        }
        // Signed targets have one spelling only.
        let spelled =
            isSigned
            ? "/t/\(level.name)/\(source)/\(kind)/\(id)"
            : (try? pipeline.item(source: source, kind: kind, id: id))
                .map { Route.thumbnailPath(level: level.name, item: $0.description) }
        let canonical =
            (spelled ?? "") + (fixed.map { ".\($0.fileExtension)" } ?? "")
            + (expires.map { "?\(String(decoding: Self.expiry, as: UTF8.self))\($0)" } ?? "")
        // The signature is checked last, because that is the expensive part.
        guard text == canonical,
            let named = try? isSigned
                ? pipeline.signedItem(
                    signature: kind, level: level.name, encodedURL: id, expires: expires)
                : pipeline.item(source: source, kind: kind, id: id),
            let item = pipeline.pictures.knownPictured(named)
        else { return nil }
        return Meaning(
            item: item, isOfRow: item != named, level: level,
            format: fixed ?? format(of: item, level, negotiated, representation),
            isNegotiated: fixed == nil, expires: expires)
    }

    /// Returns the negotiated format, or AVIF if the client prefers it and it is stored.
    private func format(
        of item: Item, _ level: Level, _ negotiated: ThumbnailFormat, _ representation: UInt8
    ) -> ThumbnailFormat {
        representation & ThumbnailFormat.orStoredAVIF != 0
            && pipeline.pictures.isKnown(item, level: level, format: .avif) ? .avif : negotiated
    }

    /// Returns what the target of a file means, as far as it is known without the disk.
    private func fileMeaning(
        _ text: String, _ level: Level, _ source: String, _ name: String,
        _ negotiated: ThumbnailFormat, _ representation: UInt8
    ) -> Meaning? {
        let canonical = Route.thumbnailPath(
            level: level.name, item: "\(source)/\(FolderSource.kind)/\(name)")
        guard text == canonical,
            let file = pipeline.pictures.knownName(
                name, of: source, format: { ThumbnailFormat(fileExtension: String($0)) })
        else { return nil }
        return Meaning(
            item: file.item, level: level,
            format: file.format ?? format(of: file.item, level, negotiated, representation),
            isNegotiated: file.format == nil, expires: nil)
    }
}
