import FoundationEssentials
import HTTPTypes
import Pipeline

/// Turns a whole answer into the part that was asked for (RFC 9110, sections 14 and 15.3.7).
enum RangeAnswer {
    static func of(_ whole: Answer, _ question: Question) -> Answer {
        var whole = whole
        whole.fields[.acceptRanges] = "bytes"
        guard whole.status == .ok, question.method == .get, isCurrent(whole, question.fields)
        else { return whole }
        switch ByteRanges(question.fields[.range], length: whole.body.count) {
        case .whole: return whole
        case .unsatisfiable: return unsatisfiable(whole)
        case .parts(let parts):
            if parts.count == 1, let part = parts.first { return single(whole, part) }
            return several(whole, parts)
        }
    }

    /// `If-Range` wants the part only of the representation that the client has: a strong entity tag
    /// or the exact date.
    private static func isCurrent(_ whole: Answer, _ fields: HTTPFields) -> Bool {
        guard let condition = fields[.ifRange] else { return true }
        return condition == whole.fields[.eTag] || condition == whole.fields[.lastModified]
    }

    private static func single(_ whole: Answer, _ part: Range<Int>) -> Answer {
        var fields = whole.fields
        fields[.contentRange] = contentRange(part, whole.body.count)
        return Answer(status: .partialContent, fields: fields, body: Array(whole.body[part]))
    }

    private static func several(_ whole: Answer, _ parts: [Range<Int>]) -> Answer {
        let type = whole.fields[.contentType] ?? "application/octet-stream"
        // The digest in it makes it unlike anything the parts hold by accident.
        let tag = (whole.fields[.eTag] ?? "").filter { $0.isLetter || $0.isNumber }
        let boundary = "vitrine-\(tag.suffix(24))"
        var body: [UInt8] = []
        for part in parts {
            let head = """
                --\(boundary)\r\nContent-Type: \(type)\r\n\
                Content-Range: \(contentRange(part, whole.body.count))\r\n\r\n
                """
            body += Array(head.utf8) + whole.body[part] + Array("\r\n".utf8)
        }
        body += Array("--\(boundary)--\r\n".utf8)
        var fields = whole.fields
        fields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
        return Answer(status: .partialContent, fields: fields, body: body)
    }

    private static func unsatisfiable(_ whole: Answer) -> Answer {
        var answer = Problem(
            status: .rangeNotSatisfiable, name: "range-not-satisfiable",
            title: "Range not satisfiable",
            detail: "The representation has \(whole.body.count) bytes; none of the ranges is in it."
        ).answer
        answer.fields[.contentRange] = "bytes */\(whole.body.count)"
        return answer
    }

    private static func contentRange(_ part: Range<Int>, _ length: Int) -> String {
        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
    }
}
