import Catalog
import Fetch
import JSON
import Pipeline
import PlayedAPIs
import TestSupport
import Testing

/// A way in which a hop of a chain fails.
struct HopFault: CustomTestStringConvertible, Sendable {
    var name: String
    var reply: OriginReply
    /// What it makes of an item whose catalog answers like that, and what is told of it.
    var api: (kind: Failure.Kind, reason: @Sendable (Hop) -> String)
    /// The same for a candidate.
    var picture: (kind: Failure.Kind, reason: @Sendable (Hop) -> String)

    var testDescription: String { name }
    var isSlow: Bool { name == "too slow" }
    var isAbsence: Bool { name == "404" }

    /// Without an own reason for pictures it is the same.
    private init(
        _ name: String, _ reply: OriginReply, _ kind: Failure.Kind,
        _ reason: @escaping @Sendable (Hop) -> String,
        picture: (kind: Failure.Kind, reason: @Sendable (Hop) -> String)? = nil
    ) {
        self.name = name
        self.reply = reply
        api = (kind, reason)
        self.picture = picture ?? (kind, reason)
    }

    static let absence = HopFault(
        "404", .json(TVMazeProblem.notFound.json.text, status: 404), .absent,
        { $0.absence ?? "" },
        picture: (.absent, { _ in "The origin answered 404." }))

    static let all = [
        absence,
        HopFault(
            "503", .status(503), .unavailable, { "\($0.host) answered 503." },
            picture: (.unavailable, { _ in "The origin answered 503 after 4 attempts." })),
        HopFault(
            "too slow", .silence, .timedOut, { "\($0.host) did not respond in time." }),
        HopFault(
            "cut short", .json(#"{"id":7,"images":[],"resultCount":1}"#).cut(after: 9),
            .unavailable, { "The response of \($0.host) was cut off in 4 attempts." }),
        HopFault(
            "a page for people", .html("<html>sorry</html>"), .unavailable,
            { "\($0.speaker) answered something that is not JSON." },
            picture: (.rejected, { _ in "This is not a picture but an HTML page." })),
        HopFault(
            "a redirect elsewhere", .redirect(to: "https://example.com/x"), .unavailable,
            { _ in "The host example.com is not among those allowed for this request." },
            picture: (
                .refused,
                { _ in "The host example.com is not among those allowed for this request." }
            )),
        HopFault(
            "a redirect to a private address", .redirect(to: "https://10.0.0.1/x"), .unavailable,
            { _ in "The host 10.0.0.1 is not among those allowed for this request." },
            picture: (
                .refused, { _ in "The host 10.0.0.1 is not among those allowed for this request." }
            )),
    ]
}

/// One call on the way to a picture.
struct Hop: Sendable {
    /// A candidate's label, or what of an API is asked.
    var name: String
    var host: String
    var path: String
    var isPicture = false
    /// Label of the candidate that the picture comes from while this hop fails; `nil` where nothing
    /// is left.
    var rest: String?
    /// Who speaks JSON here, `TMDB`.
    var speaker = ""
    /// What is told to be unreadable.
    var part: String?
    /// What is told where this hop answers 404; `nil` where that is nothing special.
    var absence: String?
    /// Whether a 404 means that the item has no picture.
    var endsWith404 = true

    /// The reason that the explanation gives; `nil` where there is nothing to explain.
    func told(of fault: HopFault) -> String? {
        if isPicture { return fault.picture.reason(self) }
        if fault.isAbsence { return absence }
        return (part.map { "\($0) can't be read: " } ?? "") + fault.api.reason(self)
    }
}
