import Glibc
import Hashing

/// Answers plain requests from prepared responses. Belongs to one thread.
package struct HitLookup: ~Copyable {
    /// A response to send. Valid until ``HitLookup/settle()``.
    package struct Answer {
        let entry: HitEntry.Pointer
        let variant: PreparedHit.Variant
        package let isHead: Bool

        package var isNotModified: Bool { variant.isNotModified }
        package var status: Int {
            variant.part != nil ? 206 : variant.isNotModified ? 304 : 200
        }
        package var isStale: Bool { variant.freshness.isStale }
        package var closes: Bool { variant.closes }
        package var hasBody: Bool { !variant.isNotModified && !isHead }
        package var bodySize: Int {
            hasBody ? variant.part?.count ?? entry.pointee.prepared.byteCount : 0
        }
        package var prepared: PreparedHit { entry.pointee.prepared }

        /// The part of a file that follows the head; nil if the body is in memory, or not sent.
        var filePart: SendQueue.FilePart? {
            guard hasBody, let file = prepared.file else { return nil }
            return SendQueue.FilePart(
                prepared: prepared, file: file, range: variant.part ?? 0..<prepared.byteCount)
        }
    }

    private let source: any HitSource
    private var table: HitTable
    /// By the bytes of ``documentHead``.
    private var documents: HitTable
    /// Of the last request for a document.
    private var documentHead = RequestHead()
    private var representations: NegotiatedRepresentations
    private var texts: HeadTexts
    private var scratch = ResponseHead()
    /// For ids of requests, without a system call for each.
    private var numbers = SplitMix(seed: .random(in: .min ... .max))
    private var read: (any HitRead)?
    private let sendsFiles: Bool

    /// - Parameter sendsFiles: whether the caller answers more than pictures, some from their files.
    package init(_ source: any HitSource, sendsFiles: Bool = false) {
        self.source = source
        self.sendsFiles = sendsFiles
        table = HitTable(source)
        documents = HitTable(source, capacity: Self.maxDocuments)
        representations = NegotiatedRepresentations(source)
        texts = source.headTexts
    }

    /// Seconds since 1970.
    package func now() -> Double { source.now }

    /// Targets in the table.
    package var count: Int { table.count }

    /// What became of the entries of both tables.
    package var entries: HitEntryCounts { table.counts + documents.counts }

    /// Returns the response, or nil if the request is not a hit, its conditions need a responder,
    /// or its picture has to be read first (``takeRead()``). `bytes` begin with the request.
    ///
    /// - Parameter read: has ended, if the picture had to be read first.
    package mutating func answer(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer, at now: Double,
        after read: (any HitRead)? = nil
    ) -> Answer? {
        let target = UnsafeRawBufferPointer(rebasing: bytes[request.target])
        guard let route = HitRoute(target) else { return nil }
        let found: (entry: HitEntry.Pointer, freshness: HitFreshness?)?
        if route.isDocument {
            let entry = document(request, bytes, at: now)
            found = entry.map { ($0, nil) }
        } else {
            guard sendsFiles || route == .picture else { return nil }
            found = entry(target, request, bytes, at: now, after: read)
        }
        guard let (entry, freshness) = found else { return nil }
        let second = Int(now.rounded(.down))
        guard let isNotModified = Self.isNotModified(request, bytes, entry) else { return nil }
        var part: Range<Int>?
        if let range = request.range, !isNotModified, !request.isHead,
            entry.pointee.prepared.route.hasRanges
        {
            guard
                let isCurrent = Self.isCurrent(request, bytes, entry.pointee.prepared)
            else { return nil }
            if isCurrent {
                // Responders know the rules for several ranges, and for one that can't be satisfied or
                // read.
                guard
                    let one = Self.part(
                        UnsafeRawBufferPointer(rebasing: bytes[range]), of: entry.pointee.prepared)
                else { return nil }
                part = one
            }
        }
        let variant = PreparedHit.Variant(
            isNotModified: isNotModified, part: part, isNegotiated: entry.pointee.isNegotiated,
            closes: request.framing.closes,
            freshness: freshness
                ?? entry.pointee.withRecord {
                    source.use($0, negotiated: entry.pointee.negotiated, at: now)
                },
            linkLeft: entry.pointee.linkLeft(at: second), second: second)
        return Answer(entry: entry, variant: variant, isHead: request.isHead)
    }

    /// Returns the entry for a target that is not a document's, and its freshness if it is for one
    /// response.
    private mutating func entry(
        _ target: UnsafeRawBufferPointer, _ request: RequestScan.PlainRequest,
        _ bytes: UnsafeRawBufferPointer, at now: Double, after read: (any HitRead)?
    ) -> (HitEntry.Pointer, HitFreshness?)? {
        let accept = request.accept.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        guard let target = significant(target) else { return nil }
        let representation = representations.representation(accept)
        if let known = table.entry(target, representation, at: now) { return (known, nil) }
        let needsBody =
            !request.isHead && request.entityTag == nil && request.modifiedSince == nil
        switch source.find(
            target, representation, needsBody: needsBody, sendsFiles: sendsFiles, after: read)
        {
        case .inMemory(let offer): return (table.insert(target, representation, offer), nil)
        case .once(let offer, let fresh):
            return (table.once(target, representation, offer), fresh)
        case .waits(let read):
            self.read = read
            return nil
        case .unknown: return nil
        }
    }

    /// Documents of a thread, at most.
    private static let maxDocuments = 1_024
    /// Documents for longer heads are not kept.
    private static let maxDocumentHead = 2_048

    /// Returns the entry for a document. It depends on more than a picture: on languages, content codings
    /// and who may see it.
    private mutating func document(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer, at now: Double
    ) -> HitEntry.Pointer? {
        guard request.range == nil, !request.isAmbiguous else { return nil }
        documentHead.set(request, bytes)
        let head = documentHead
        guard head.bytes.count <= Self.maxDocumentHead else { return nil }
        return head.bytes.withUnsafeBytes { name in
            if let known = documents.entry(name, 0, at: now) { return known }
            return source.document(head).map { documents.insert(name, 0, $0) }
        }
    }

    /// Returns whether the range of a request counts (RFC 9110, section 14.2); nil for a date in another
    /// form, which responders read.
    private static func isCurrent(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer, _ hit: PreparedHit
    ) -> Bool? {
        guard let ifRange = request.ifRange else { return true }
        let condition = UnsafeRawBufferPointer(rebasing: bytes[ifRange])
        if hit.entityTag.equals(condition) || hit.lastModified.equals(condition) { return true }
        let isTag = condition.first == UInt8(ascii: "\"") || condition.starts(with: "W/".utf8)
        return isTag ? false : nil
    }

    /// Returns the part that a value of `Range` asks for; nil if it is not one range of the response.
    private static func part(_ value: UnsafeRawBufferPointer, of hit: PreparedHit) -> Range<Int>? {
        let unit = 6
        guard value.count > unit, FieldName.equals(value, 0..<unit, "bytes="),
            case .within(let part) = ByteRange(
                UnsafeRawBufferPointer(rebasing: value[unit...]), length: hit.byteCount)
        else { return nil }
        return part
    }

    /// Returns the read that the last request needs first, once.
    mutating func takeRead() -> (any HitRead)? {
        defer { read = nil }
        return read
    }

    /// Returns the target without the part of its query that means nothing.
    private func significant(_ target: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let start = target.baseAddress,
            let mark = memchr(start, Int32(UInt8(ascii: "?")), target.count)
        else { return target }
        let query = UnsafeRawPointer(mark) - UnsafeRawPointer(start) + 1
        return source.significantCount(target, query: query).map {
            UnsafeRawBufferPointer(rebasing: target.prefix($0))
        }
    }

    /// Returns the id of a request that `bytes` begin with.
    package mutating func id(
        of request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer
    ) -> RequestID {
        RequestID(
            request.requestID.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) },
            orElse: numbers.next())
    }

    /// Returns the head of a response. Valid until the next call.
    mutating func head(_ answer: Answer, _ id: RequestID) -> ResponseHead.Sent {
        answer.entry.pointee.head(answer.variant, &texts, &scratch, id)
    }

    /// Frees what earlier responses used. They are sent or copied by now.
    package mutating func settle() {
        read = nil
        table.settle()
        documents.settle()
    }

    /// Frees entries of pictures that left memory.
    package mutating func sweep() {
        table.sweep()
        documents.sweep()
    }

    /// Returns nil if the condition is not the plain one that clients send, an entity tag or a date
    /// as they got it. Responders know the rules for all others.
    private static func isNotModified(
        _ request: RequestScan.PlainRequest, _ bytes: UnsafeRawBufferPointer,
        _ entry: HitEntry.Pointer
    ) -> Bool? {
        if let range = request.entityTag {
            var tag = bytes[range]
            if tag.starts(with: [UInt8(ascii: "W"), UInt8(ascii: "/")]) { tag = tag.dropFirst(2) }
            return entry.pointee.prepared.entityTag.equals(UnsafeRawBufferPointer(rebasing: tag))
                ? true : nil
        }
        if let range = request.modifiedSince {
            let date = UnsafeRawBufferPointer(rebasing: bytes[range])
            return entry.pointee.prepared.lastModified.equals(date) ? true : nil
        }
        return false
    }
}
