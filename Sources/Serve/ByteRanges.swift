import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import Pipeline
import Store

/// Byte ranges of a request (RFC 9110, section 14). Pure.
enum ByteRanges: Sendable, Equatable {
    /// The request has no valid range, so the whole representation is sent.
    case whole
    /// No range is within the representation.
    case unsatisfiable
    /// The ranges in the requested order; never empty.
    case parts([Range<Int>])

    /// More ranges than this are an attack or a mistake. Section 14.2 lets a server ignore such a
    /// field.
    static let limit = 16

    /// Parses the value of `Range`. A malformed field is ignored, as the RFC requires.
    ///
    /// - Parameter length: bytes of the whole representation.
    init(_ field: String?, length: Int) {
        guard let field, let equals = field.firstIndex(of: "="),
            field[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let specifications = field[field.index(after: equals)...].split(separator: ",")
        guard !specifications.isEmpty, specifications.count <= Self.limit else {
            self = .whole
            return
        }
        var parts: [Range<Int>] = []
        for specification in specifications {
            let text = specification.utf8.filter { !" \t".utf8.contains($0) }
            switch text.withUnsafeBytes({ ByteRange($0, length: length) }) {
            case .malformed:
                self = .whole
                return
            case .outside: continue
            case .within(let range): parts.append(range)
            }
        }
        // Overlapping parts would send more bytes than the whole, so the whole is sent instead.
        let total = parts.reduce(0) { $0 + $1.count }
        if parts.isEmpty {
            self = .unsatisfiable
        } else {
            self = total > length ? .whole : .parts(parts)
        }
    }
}

extension Response {
    /// Returns a response made of a stored blob: the whole, or the requested ranges (RFC 9110, sections 14
    /// and 15.3.7).
    static func ranges(
        _ fields: HTTPFields, _ content: BlobContent, _ request: Request
    ) -> Response {
        var fields = fields
        fields[.acceptRanges] = "bytes"
        let length = content.byteCount
        func answer(_ parts: [FileBody.Part]) -> Response {
            var answer = Response(
                status: parts.isWhole(length) ? .ok : .partialContent, fields: fields)
            answer.file = FileBody(blob: content.blob, parts: parts)
            return answer
        }
        let whole = answer([.range(0..<length)])
        guard request.method == .get, isCurrent(fields, request.fields) else { return whole }
        switch ByteRanges(request.fields[.range], length: length) {
        case .whole: return whole
        case .unsatisfiable: return unsatisfiable(fields, length)
        case .parts(let parts):
            if parts.count == 1, let part = parts.first {
                fields[.contentRange] = contentRange(part, length)
                var single = answer([.range(part)])
                single.status = .partialContent
                return single
            }
            let pieces = several(&fields, parts, length)
            return answer(pieces)
        }
    }

    /// With `If-Range`, ranges apply only to the representation that the client has: a strong
    /// entity tag or the exact date, in any of its forms.
    private static func isCurrent(_ whole: HTTPFields, _ fields: HTTPFields) -> Bool {
        guard let condition = fields[.ifRange] else { return true }
        if condition == whole[.eTag] || condition == whole[.lastModified] { return true }
        guard let modified = whole[.lastModified], let date = HTTPDate.parse(condition) else {
            return false
        }
        return HTTPDate.parse(modified) == date
    }

    private static func several(
        _ fields: inout HTTPFields, _ ranges: [Range<Int>], _ length: Int
    ) -> [FileBody.Part] {
        let type = fields[.contentType] ?? "application/octet-stream"
        // The digest makes an accidental match in the parts impossible.
        let tag = (fields[.eTag] ?? "").filter { $0.isLetter || $0.isNumber }
        let boundary = "vitrine-\(tag.suffix(24))"
        fields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
        return ranges.flatMap { range in
            let head = """
                --\(boundary)\r\nContent-Type: \(type)\r\n\
                Content-Range: \(contentRange(range, length))\r\n\r\n
                """
            return [
                FileBody.Part.text(Array(head.utf8)), .range(range), .text(Array("\r\n".utf8)),
            ]
        } + [.text(Array("--\(boundary)--\r\n".utf8))]
    }

    private static func unsatisfiable(_ fields: HTTPFields, _ length: Int) -> Response {
        var answer = Problem(
            status: .rangeNotSatisfiable, name: "range-not-satisfiable",
            title: "Range not satisfiable",
            detail: "The representation has \(length) bytes; none of the ranges is in it."
        ).answer
        answer.fields[.contentRange] = "bytes */\(length)"
        return answer
    }

    private static func contentRange(_ part: Range<Int>, _ length: Int) -> String {
        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
    }
}

extension [FileBody.Part] {
    /// Whether the parts are exactly one whole blob.
    fileprivate func isWhole(_ length: Int) -> Bool {
        guard count == 1, case .range(let range) = self[0] else { return false }
        return range == 0..<length
    }
}

extension BlobContent {
    fileprivate var blob: OpenBlob? {
        switch self {
        case .open(let blob): blob
        case .size: nil
        }
    }
}
