import Catalog
import Synchronization
import Testing

/// Answers API calls from a table and remembers what was asked.
final class ScriptedAPI: APIReading {
    private let answers: [String: APIAnswer]
    private let calls = Mutex<[APICall]>([])

    init(_ answers: [String: APIAnswer]) {
        self.answers = answers
    }

    /// JSON texts with status 200.
    convenience init(json: [String: String]) {
        self.init(json.mapValues { APIAnswer(status: 200, body: Array($0.utf8)) })
    }

    var asked: [APICall] { calls.withLock { $0 } }

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        calls.withLock { $0.append(call) }
        guard let answer = answers[call.url] else {
            Issue.record("\(call.url) was not to be asked")
            throw .canceled
        }
        return answer
    }
}
