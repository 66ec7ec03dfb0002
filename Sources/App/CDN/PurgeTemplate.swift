import Catalog
import Fetch
import Hashing

/// A request that tells a cache in front what to purge, with places for names and credentials. Pure.
///
/// `{tags}` are the names, separated by spaces, `{json}` are the same as a JSON list, `{tag}` is one of
/// them, which makes one request for each. `{soft}` is 1 or 0. `{token}` is the credential.
struct PurgeTemplate: Sendable {
    /// Nil for none.
    var url: String?
    var method = FetchRequest.Method.post
    /// `Name: value`.
    var headers: [String] = []
    var body = ""
    var token: Secret?

    /// Whether a request can carry only one name.
    var isSingle: Bool { ([url ?? "", body] + headers).contains { $0.contains("{tag}") } }

    func request(_ tags: [String], soft: Bool) -> FetchRequest {
        let list = "[\(tags.map { "\"\($0)\"" }.joined(separator: ","))]"
        let values = [
            "{tags}": tags.joined(separator: " "), "{tag}": tags.first ?? "", "{json}": list,
            "{soft}": soft ? "1" : "0", "{token}": token?.reveal() ?? "",
        ]
        func filled(_ text: String, _ encode: (String) -> String = { $0 }) -> String {
            // In one pass, so that no value is taken for a place.
            var (result, rest) = ("", text[...])
            while let end = rest.firstIndex(of: "}") {
                let start = rest[..<end].lastIndex(of: "{") ?? end
                result += rest[..<start]
                let place = rest[start...end]
                result += values[String(place)].map(encode) ?? String(place)
                rest = rest[rest.index(after: end)...]
            }
            return result + rest
        }
        var request = FetchRequest(
            url: filled(url ?? "") { PercentCoding.encoded($0) }, purpose: .api,
            maxBytes: Self.maxAnswer)
        request.method = method
        request.headers = headers.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (name: String(line[..<colon]), value: filled(String(value)))
        }
        if !body.isEmpty { request.body = Array(filled(body).utf8) }
        return request
    }

    /// Bytes of an answer, of which only the status counts.
    private static let maxAnswer = 1 << 20

    /// Returns whether a text is a header field.
    static func isHeader(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let name = text[..<colon]
        return !name.isEmpty
            && name.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7f && !"()<>@,;\\\"/[]?={}".utf8.contains($0)
            }
            && !text.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    }
}

extension PurgeTemplate {
    /// Sends the request, or one for each name.
    func send(
        _ tags: [String], soft: Bool, by fetch: any Fetching
    ) async throws(PurgeQueue.CallError) {
        for tags in isSingle ? tags.map({ [$0] }) : [tags] {
            let status: Int
            do throws(FetchError) {
                status = try await fetch.fetch(request(tags, soft: soft)).status
            } catch {
                throw .failed("\(error)")
            }
            switch status {
            case 200..<300: break
            case 408, 425, 429, 500...: throw .failed("It answered \(status).")
            default: throw .refused("It answered \(status).")
            }
        }
    }
}
