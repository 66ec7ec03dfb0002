import FoundationEssentials
import Hashing

/// AWS Signature Version 4 in the `Authorization` header. Pure.
///
/// Source: docs.aws.amazon.com, “Signature Calculations for the Authorization Header: Transferring
/// Payload in a Single Chunk (AWS Signature Version 4)”.
struct SignatureV4 {
    /// What is signed of a request.
    struct Request {
        var method: String
        /// Percent-encoded as it is sent, beginning with a slash.
        var path: String
        /// Neither encoded nor sorted.
        var query: [(name: String, value: String)] = []
        /// With `host`, and everything that is to be signed.
        var headers: [(name: String, value: String)]
        /// The digest of the body in lower-case hexadecimal digits.
        var payload: String
    }

    var region: String
    var service = "s3"

    /// Returns the value of `Authorization`. The request has `x-amz-date` with the same date already.
    func authorization(
        of request: Request, _ credentials: S3Credentials, at date: Date
    ) -> String {
        let time = Self.timestamp(date)
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let canonical = Self.canonical(request)
        let text = [
            "AWS4-HMAC-SHA256", time, scope,
            Hex.text(SHA256.digest(of: Array(canonical.text.utf8))),
        ].joined(separator: "\n")
        var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
        for part in [day, region, service, "aws4_request", text] {
            key = HMAC.code(for: Array(part.utf8), key: key)
        }
        return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), "
            + "SignedHeaders=\(canonical.signed), Signature=\(Hex.text(key))"
    }

    /// Returns the canonical request, and the names of the signed headers.
    static func canonical(_ request: Request) -> (text: String, signed: String) {
        var values: [String: [String]] = [:]
        for (name, value) in request.headers {
            values[name.lowercased(), default: []].append(trimmed(value))
        }
        let names = values.keys.sorted()
        let lines = names.map { "\($0):\((values[$0] ?? []).joined(separator: ","))\n" }
        let signed = names.joined(separator: ";")
        let text = [
            request.method, request.path, query(request.query), lines.joined(), signed,
            request.payload,
        ].joined(separator: "\n")
        return (text, signed)
    }

    /// Returns the query as it is signed and sent: encoded, sorted, each name with a `=`.
    static func query(_ query: [(name: String, value: String)]) -> String {
        query.map { (PercentCoding.encoded($0.name), PercentCoding.encoded($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    /// Returns `20130524T000000Z`.
    static func timestamp(_ date: Date) -> String {
        let parts = Calendar.utc.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: date)
        func digits(_ number: Int?, _ count: Int = 2) -> String {
            let text = "\(number ?? 0)"
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(parts.year, 4) + digits(parts.month) + digits(parts.day) + "T"
            + digits(parts.hour) + digits(parts.minute) + digits(parts.second) + "Z"
    }

    /// Removes white space at both ends, and all but one of several blanks in a row.
    private static func trimmed(_ value: String) -> String {
        value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }
}

extension Calendar {
    fileprivate static let utc: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
