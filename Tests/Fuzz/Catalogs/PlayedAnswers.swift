import Fetch
import Synchronization
import TestSupport

/// Recorded answers by what is asked, changed on their way.
final class PlayedAnswers: Fetching {
    /// The documents by the part of a URL that they answer; the first that fits is taken.
    private let documents: [(part: String, trees: [JSONTree])]
    private let mutator: Mutex<JSONMutator>

    init(_ documents: [(part: String, trees: [JSONTree])], _ random: SplitMix) {
        self.documents = documents
        mutator = Mutex(JSONMutator(random))
    }

    func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        mutator.withLock { mutator in
            var trees = documents.first { request.url.contains($0.part) }?.trees ?? []
            if trees.isEmpty || mutator.chance(30) { trees = mutator.one(of: documents).trees }
            let status = mutator.chance(10) ? mutator.one(of: Self.statuses) : 200
            return FetchResponse(
                status: status,
                headers: [("Retry-After", mutator.one(of: Self.pauses))],
                body: mutator.bytes(of: mutator.one(of: trees)), url: request.url, attempts: [],
                timings: FetchTimings())
        }
    }

    private static let statuses = [204, 301, 400, 401, 403, 404, 410, 418, 429, 500, 503, 504]
    private static let pauses = [
        "", "1", "-1", "9223372036854775807", "9223372036854775808", "1e9",
        "Sun, 06 Nov 9999 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Fri, 31 Dec 1999 23:59:59 GMT",
    ]
}
