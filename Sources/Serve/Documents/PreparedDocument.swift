import HTTP
import HTTPTypes
import Hashing
import Store
import Synchronization

/// A document that is sent many times: its bytes and fields, and what each content coding makes of
/// them. A coding is made when a client first accepts it. Any thread.
final class PreparedDocument: Sendable {
    private struct Encoded {
        /// nil if the coding makes the document no shorter.
        var bodies: [ContentCoding: [UInt8]?] = [:]
        /// The responses to hits, as far as they were asked for.
        var hits: [ContentCoding: PreparedHit] = [:]
    }

    /// Hits have no longer bodies: many sockets don't take one at once.
    private static let maxHitBytes = 64 << 10

    let body: [UInt8]
    private let digest: Digest
    private let fields: HTTPFields
    private let effort: ContentCoding.Effort
    private let isPage: Bool
    private let encoded = Mutex(Encoded())

    /// - Parameters:
    ///   - fields: without `ETag`, `Content-Encoding` and the part of `Vary` that follows from it.
    ///   - isPage: whether browsers show it. Other sites' pages get it uncompressed.
    init(
        _ body: [UInt8], _ fields: HTTPFields, _ effort: ContentCoding.Effort = .quick,
        isPage: Bool = false
    ) {
        self.body = body
        self.effort = effort
        self.isPage = isPage
        digest = Digest(of: body)
        var fields = fields
        fields.append(HTTPField(name: .vary, value: "Accept-Encoding"))
        fields.joinVary()
        self.fields = fields
    }

    /// The same bytes with other fields.
    private init(_ other: PreparedDocument, _ fields: HTTPFields) {
        body = other.body
        effort = other.effort
        isPage = other.isPage
        digest = other.digest
        self.fields = fields
        encoded.withLock { $0.bodies = other.encoded.withLock { $0.bodies } }
    }

    /// Returns the newer document with the same codings: what was made of the same bytes before is taken over.
    func renewed(by newer: PreparedDocument) -> PreparedDocument {
        if newer.digest == digest { return PreparedDocument(self, newer.fields) }
        for coding in encoded.withLock({ Array($0.bodies.keys) }) { _ = newer.body(in: coding) }
        return newer
    }

    /// Returns the response in the coding that the client likes best, or 304.
    func answer(_ request: Request, _ more: HTTPFields = [:]) -> Response {
        var coding = coding(for: request)
        var body = self.body
        if coding != .identity {
            if let shorter = self.body(in: coding) { body = shorter } else { coding = .identity }
        }
        return Response(status: .ok, fields: fields(coding, more), body: body)
            .unlessKnown(to: request)
    }

    /// Returns the coding that the client likes best. A foreign page that could have this one
    /// requested again and again would learn about its content from compressed lengths (BREACH).
    private func coding(for request: Request) -> ContentCoding {
        if isPage, PrivateAccess.mayComeFromAnotherSite(request.fields) { return .identity }
        return ContentCoding(accepting: request.fields[.acceptEncoding])
    }

    private func fields(_ coding: ContentCoding, _ more: HTTPFields) -> HTTPFields {
        var fields = self.fields
        for field in more { fields[field.name] = field.value }
        // Each coding is another representation, so it has another tag.
        fields[.eTag] =
            coding == .identity ? digest.entityTag : "\"\(digest)-\(coding.rawValue)\""
        if coding != .identity { fields[.contentEncoding] = coding.rawValue }
        return fields
    }

    /// Returns the same response for hits, without its conditions. Returns nil if its coding has
    /// yet to be made, or its body is long. Doesn't wait.
    ///
    /// - Parameter more: fields besides its own. They are the same in each call.
    func offer(
        _ request: Request, _ route: HitRoute, _ life: ResponseLife, _ more: HTTPFields = [:]
    ) -> HitOffer? {
        let wanted = coding(for: request)
        let found = encoded.withLockIfAvailable { encoded -> PreparedHit? in
            var (coding, body) = (ContentCoding.identity, self.body)
            if wanted != .identity {
                guard let made = encoded.bodies[wanted] else { return nil }
                if let made { (coding, body) = (wanted, made) }
            }
            guard body.count <= Self.maxHitBytes else { return nil }
            if let known = encoded.hits[coding] { return known }
            let hit = hit(coding, body, route, more)
            encoded.hits[coding] = hit
            return hit
        }
        guard let hit = found ?? nil else { return nil }
        return HitOffer(record: life, prepared: hit, isNegotiated: false, expires: nil)
    }

    private func hit(
        _ coding: ContentCoding, _ body: [UInt8], _ route: HitRoute, _ more: HTTPFields
    ) -> PreparedHit {
        var fields = fields(coding, more)
        fields.addSecurity()
        return PreparedHit(route, fields, body: BodyBuffer(body))
    }

    private func body(in coding: ContentCoding) -> [UInt8]? {
        // Held while it is made, so that a herd waits a few milliseconds instead of making it, too.
        encoded.withLock { encoded in
            if let known = encoded.bodies[coding] { return known }
            let made = coding.encoded(body, effort)
            encoded.bodies[coding] = .some(made)
            return made
        }
    }
}
