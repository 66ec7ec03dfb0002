import Catalog
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import App

/// Answers API calls from a table, and remembers what was asked.
final class AnsweringAPI: APIReading {
    private let answers: [String: (status: Int, text: String)]
    private let calls = Mutex<[APICall]>([])

    init(_ answers: [String: String], statuses: [String: Int] = [:]) {
        self.answers =
            answers.mapValues { (200, $0) }.merging(statuses.mapValues { ($0, "{}") }) { $1 }
    }

    var asked: [APICall] { calls.withLock { $0 } }

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        calls.withLock { $0.append(call) }
        guard let answer = answers[call.url] else {
            Issue.record("\(call.url) was not to be asked")
            throw .canceled
        }
        if answer.status >= 500 { throw .unavailable(reason: "It answered \(answer.status).") }
        return APIAnswer(status: answer.status, body: Array(answer.text.utf8))
    }
}

extension ConfiguredSource {
    /// The first source of a file's text.
    init(yaml: String, environment: [String: String] = [:]) throws {
        let settings = try loadedSettings(yaml, environment: environment)
        self.init(try #require(settings.sources.first))
    }

    /// The source of a file in `config/sources`.
    init(example: String) throws {
        let url = Fixtures.project.appending(path: "config/sources/\(example).yaml")
        try self.init(yaml: String(contentsOf: url, encoding: .utf8))
    }
}

extension ItemDetails {
    /// The labels of the candidates as a level of that width tries them.
    func labels(width: Int) -> [String] {
        orderedChain(for: PictureBox(width: width, height: width * 3 / 2)).map { step in
            switch step {
            case .candidate(let candidate): candidate.label
            case .item(let item): "\(item)"
            case .scalable(let scalable): scalable.label
            }
        }
    }

    var urls: [String] {
        chain.compactMap { step in
            switch step {
            case .candidate(let candidate): candidate.url
            case .scalable(let scalable): scalable.template
            case .item: nil
            }
        }
    }
}
