import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes

extension Request {
    /// Reads the body as a small JSON object. Unknown members are an error, because the client meant them to
    /// matter.
    ///
    /// - Throws: the response to a body that can't be used.
    func json<Body: Decodable>(
        _ type: Body.Type, members: [String], limit: Int
    ) async throws(Problem) -> Body {
        let kind = fields[.contentType]?.prefix { $0 != ";" }
            .filter { !$0.isWhitespace }.lowercased()
        guard kind == "application/json" else {
            throw Problem(
                status: .unsupportedMediaType, name: "not-json", title: "Not JSON",
                detail: "Send a body with “Content-Type: application/json”.",
                fields: [.accept: "application/json"])
        }
        let bytes: [UInt8]
        switch await body(limit) {
        case .whole(let whole): bytes = whole
        case .tooLong:
            throw Problem(
                status: .contentTooLarge, name: "body-too-large", title: "Body too large",
                detail: "The body is over \(limit) bytes.",
                // The rest of the body is not read.
                fields: [.connection: "close"])
        case .broken:
            throw Problem(
                status: .badRequest, name: "broken-body", title: "Broken body",
                detail: "The body is cut off, or its framing is broken.",
                fields: [.connection: "close"])
        }
        return try Self.decode(type, bytes, members: members)
    }

    private static func invalid(_ sentence: String) -> Problem {
        ErrorResponse.problem(.invalid(reason: sentence))
    }

    private static func decode<Body: Decodable>(
        _ type: Body.Type, _ bytes: [UInt8], members: [String]
    ) throws(Problem) -> Body {
        let decoder = JSONDecoder()
        let names = try? decoder.decode([String: Anything].self, from: Data(bytes)).keys.sorted()
        guard let names else { throw invalid("The body is not a JSON object.") }
        if let unknown = names.first(where: { !members.contains($0) }) {
            throw invalid(
                "“\(unknown)” is unknown; known are \(members.joined(separator: ", ")).")
        }
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch DecodingError.keyNotFound(let member, _) {
            throw invalid("“\(member.stringValue)” is missing.")
        } catch DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.dataCorrupted(let context)
        {
            let member = context.codingPath.first?.stringValue ?? ""
            throw invalid("“\(member)” has a value of the wrong type.")
        } catch {
            throw invalid("The body can't be read.")
        }
    }

    /// A value whose name alone is read.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }
}
