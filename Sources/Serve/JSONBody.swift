import FoundationEssentials
import HTTP
import HTTPTypes

/// Reads a small JSON object. Unknown members are an error, because the client meant them to matter.
enum JSONBody {
    /// The response to a body that can't be used.
    struct Refusal: Error {
        var problem: Problem
        var fields: HTTPFields = [:]

        var answer: Response {
            var answer = problem.answer
            answer.fields.append(contentsOf: fields)
            return answer
        }
    }

    static func read<Body: Decodable>(
        _ type: Body.Type, _ request: Request, members: [String], limit: Int
    ) async throws(Refusal) -> Body {
        let kind = request.fields[.contentType]?.prefix { $0 != ";" }
            .filter { !$0.isWhitespace }.lowercased()
        guard kind == "application/json" else {
            throw Refusal(
                problem: Problem(
                    status: .unsupportedMediaType, name: "not-json", title: "Not JSON",
                    detail: "Send a body with “Content-Type: application/json”."),
                fields: [.accept: "application/json"])
        }
        let bytes: [UInt8]
        switch await request.body(limit) {
        case .whole(let whole): bytes = whole
        case .tooLong:
            throw Refusal(
                problem: Problem(
                    status: .contentTooLarge, name: "body-too-large", title: "Body too large",
                    detail: "The body is over \(limit) bytes."),
                // The rest of the body is not read.
                fields: [.connection: "close"])
        case .broken:
            throw Refusal(
                problem: Problem(
                    status: .badRequest, name: "broken-body", title: "Broken body",
                    detail: "The body is cut off, or its framing is broken."),
                fields: [.connection: "close"])
        }
        return try decode(type, bytes, members: members)
    }

    private static func invalid(_ sentence: String) -> Refusal {
        Refusal(
            problem: Problem(
                status: .badRequest, name: "invalid-request", title: "Invalid request",
                detail: sentence))
    }

    private static func decode<Body: Decodable>(
        _ type: Body.Type, _ bytes: [UInt8], members: [String]
    ) throws(Refusal) -> Body {
        let names: [String]
        let body: Body
        do {
            names = try JSONDecoder().decode(Names.self, from: Data(bytes)).names
            body = try JSONDecoder().decode(type, from: Data(bytes))
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
            let member = context.codingPath.first?.stringValue ?? ""
            throw invalid("“\(member)” has a value of the wrong type.")
        } catch {
            throw invalid("The body is not a JSON object.")
        }
        if let unknown = names.sorted().first(where: { !members.contains($0) }) {
            throw invalid(
                "“\(unknown)” is unknown; known are \(members.joined(separator: ", ")).")
        }
        return body
    }

    private struct Names: Decodable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var names: [String]

        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
        }
    }
}
