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
        /// The same for hits, as far as they were asked for.
        var buffers: [ContentCoding: BodyBuffer] = [:]
    }

    /// Hits have no longer bodies: many sockets don't take one at once.
    private static let maxHitBytes = 64 << 10

    let body: [UInt8]
    private let digest: Digest
    private let fields: HTTPFields
    private let effort: ContentCoding.Effort
    private let encoded = Mutex(Encoded())

    /// - Parameter fields: without `ETag`, `Content-Encoding` and the part of `Vary` that follows from
    ///   it.
    init(_ body: [UInt8], _ fields: HTTPFields, _ effort: ContentCoding.Effort = .quick) {
        self.body = body
        self.effort = effort
        digest = Digest(of: body)
        var fields = fields
        fields.append(HTTPField(name: .vary, value: "Accept-Encoding"))
        self.fields = fields
    }

    /// The same bytes with other fields.
    private init(_ other: PreparedDocument, _ fields: HTTPFields) {
        body = other.body
        effort = other.effort
        digest = other.digest
        self.fields = fields
        encoded.withLock { $0 = other.encoded.withLock { $0 } }
    }

    /// Returns the newer document, which takes over what was made of the same bytes before.
    func renewed(by newer: PreparedDocument) -> PreparedDocument {
        newer.digest == digest ? PreparedDocument(self, newer.fields) : newer
    }

    /// Returns the response in the coding that the client likes best, or 304.
    func answer(_ request: Request, _ more: HTTPFields = [:]) -> Response {
        var coding = ContentCoding(accepting: request.fields[.acceptEncoding])
        var body = self.body
        if coding != .identity {
            if let shorter = self.body(in: coding) { body = shorter } else { coding = .identity }
        }
        return Response(status: .ok, fields: fields(coding, more), body: body)
            .unlessKnown(to: request)
    }

    private func fields(_ coding: ContentCoding, _ more: HTTPFields) -> HTTPFields {
        var fields = self.fields
        for field in more { fields[field.name] = field.value }
        // Each coding is another representation, so it has another tag.
        fields[.eTag] =
            coding == .identity ? "\"\(digest)\"" : "\"\(digest)-\(coding.rawValue)\""
        if coding != .identity { fields[.contentEncoding] = coding.rawValue }
        return fields
    }

    /// Returns the same response for hits, without its conditions. Returns nil if its coding has
    /// yet to be made, or its body is long. Doesn't wait.
    func hit(_ request: Request, _ more: HTTPFields) -> (fields: HTTPFields, body: BodyBuffer)? {
        let wanted = ContentCoding(accepting: request.fields[.acceptEncoding])
        let found = encoded.withLockIfAvailable { encoded -> (ContentCoding, BodyBuffer)? in
            var (coding, body) = (ContentCoding.identity, self.body)
            if wanted != .identity {
                guard let made = encoded.bodies[wanted] else { return nil }
                if let made { (coding, body) = (wanted, made) }
            }
            guard body.count <= Self.maxHitBytes else { return nil }
            if let known = encoded.buffers[coding] { return (coding, known) }
            let buffer = BodyBuffer(body)
            encoded.buffers[coding] = buffer
            return (coding, buffer)
        }
        guard let (coding, body) = found ?? nil else { return nil }
        var fields = fields(coding, more)
        SecurityFields.add(to: &fields)
        return (fields, body)
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
