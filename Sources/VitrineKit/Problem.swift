public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why the service refused or failed: a problem document (RFC 9457).
public struct Problem: Error, Codable, Sendable, Hashable {
    /// `urn:vitrine:problem:…`, see ``name``.
    public var type: String
    public var title: String
    public var status: Int
    /// What is wrong and what to do, for developers.
    public var detail: String
    /// What is wrong, for people.
    public var message: String
    /// The source that it is about.
    public var source: String?
    /// Seconds after which a retry may succeed; nil if none can.
    public var retryAfter: Int?

    /// The last part of ``type``, which programs can rely on: `no-picture`, `source-failed`, `overloaded` …
    public var name: String { type.split(separator: ":").last.map(String.init) ?? type }

    /// The problem of a response with that status; nil if it is a good one.
    ///
    /// A placeholder or another program's response has no document, and gets one here.
    init?(_ response: HTTPURLResponse, _ body: Data) {
        guard response.statusCode >= 400 else { return nil }
        if let problem = try? JSONDecoder.vitrine.decode(Problem.self, from: body) {
            self = problem
        } else {
            let text = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
            let sentence = "The service answered \(response.statusCode), \(text)."
            (type, title, status) = ("about:blank", text, response.statusCode)
            (detail, message) = (sentence, sentence)
        }
        let pause = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
        retryAfter = pause ?? retryAfter
    }
}

extension Problem: LocalizedError {
    public var errorDescription: String? { message }
}
