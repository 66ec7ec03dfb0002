import Catalog
import JSON
import Synchronization
import TestSupport

/// Recorded answers by what is asked, changed on their way.
final class PlayedAnswers: APIReading {
    /// The documents by the part of a URL that they answer; the first that fits is taken.
    private let documents: [(part: String, trees: [JSON])]
    private let mutator: Mutex<JSONMutator>

    init(_ documents: [(part: String, trees: [JSON])], _ random: SeededGenerator) {
        self.documents = documents
        mutator = Mutex(JSONMutator(random))
    }

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        let answer = mutator.withLock { mutator in
            var trees = documents.first { call.url.contains($0.part) }?.trees ?? []
            if trees.isEmpty || mutator.chance(30) { trees = mutator.one(of: documents).trees }
            let status = mutator.chance(10) ? mutator.one(of: Self.statuses) : 200
            return APIAnswer(status: status, body: mutator.bytes(of: mutator.one(of: trees)))
        }
        guard ![429, 500, 503, 504].contains(answer.status) else {
            throw .unavailable(reason: "The API answered \(answer.status).")
        }
        return answer
    }

    private static let statuses = [204, 301, 400, 401, 403, 404, 410, 418, 429, 500, 503, 504]
}
