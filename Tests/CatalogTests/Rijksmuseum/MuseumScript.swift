import Catalog
import JSON
import PlayedAPIs
import Synchronization
import TestSupport
import Testing

/// Plays the museum's hosts with made-up records, and remembers what was asked, and how much at
/// once. What has no answer is unknown, as the museum says it: 404.
final class MuseumScript: APIReading {
    private let answers: [String: Result<APIAnswer, Failure>]
    private let state = Mutex((calls: [APICall](), running: 0, mostAtOnce: 0, meeting: [Gate]()))
    private let meeting: Int

    static let outage = Failure.unavailable(
        reason: "It is closed.", timedOut: false, retryAfter: 7)

    /// By path, `1` for the record of that number, else by URL; `nil` is an outage. Calls for records
    /// are answered when as many as are `meeting` have come.
    init(_ bodies: [String: String?] = [:], statuses: [String: Int] = [:], meeting: Int = 1) {
        self.meeting = meeting
        var answers: [String: Result<APIAnswer, Failure>] = [:]
        for (name, body) in bodies {
            answers[Self.url(name)] =
                body.map { .success(APIAnswer(status: 200, body: Array($0.utf8))) }
                ?? .failure(Self.outage)
        }
        for (name, status) in statuses {
            let body = MuseumDocument.problem("made up").bytes
            answers[Self.url(name)] = .success(APIAnswer(status: status, body: body))
        }
        self.answers = answers
    }

    var calls: [APICall] { state.withLock { $0.calls } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    /// Numbers of records, else URLs, in the order of the calls.
    var asked: [String] {
        calls.map { $0.url.replacing("https://id.rijksmuseum.nl/", with: "") }
    }

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        state.withLock { state in
            state.calls.append(call)
            state.running += 1
            state.mostAtOnce = max(state.mostAtOnce, state.running)
        }
        if call.url.hasPrefix(Self.url("")) { await meet() }
        state.withLock { $0.running -= 1 }
        guard let answer = answers[call.url] else {
            return APIAnswer(status: 404, body: Array("{}".utf8))
        }
        return try answer.get()
    }

    private func meet() async {
        let gate = Gate()
        let met = state.withLock { state in
            state.meeting.append(gate)
            guard state.meeting.count == meeting else { return [Gate]() }
            defer { state.meeting = [] }
            return state.meeting
        }
        met.forEach { $0.open() }
        await gate.wait()
    }

    private static func url(_ name: String) -> String {
        name.contains("://") ? name : "https://id.rijksmuseum.nl/\(name)"
    }
}

/// Made-up records of the museum: whole ones, and pieces in the forms that real ones have, odd ones too.
enum MadeUp {
    static func object(_ number: Int = 1, _ fields: String = "") -> String {
        record(number, "HumanMadeObject", fields)
    }

    static func record(_ number: Int, _ type: String, _ fields: String = "") -> String {
        let rest = fields.isEmpty ? "" : ",\(fields)"
        return #"{"id":"https://id.rijksmuseum.nl/\#(number)","type":"\#(type)"\#(rest)}"#
    }

    /// An object, its VisualItem 2 and DigitalObject 3, and the picture's size.
    ///
    /// - Parameters:
    ///   - visual: fields of the VisualItem besides its link, instead of the usual ones.
    ///   - digital: fields of the DigitalObject besides its link, instead of the usual ones.
    static func chain(visual: String? = nil, digital: String? = nil) -> [String: String?] {
        var first = MuseumObject(1, title: "Object 1", objectNumber: "SK-1")
        first.visualItem = 2
        let second =
            visual.map {
                record(
                    2, "VisualItem",
                    #""digitally_shown_by":[{"id":"https://id.rijksmuseum.nl/3"}],\#($0)"#)
            } ?? MuseumDocument.visualItem(2, of: 1, digitalObjects: ["3"]).text
        let third =
            digital.map {
                record(3, "DigitalObject", #""access_point":[{"id":"\#(picture("Abc"))"}],\#($0)"#)
            } ?? MuseumDocument.digitalObject("3", of: 2, image: "Abc").text
        return [
            "1": first.json.text, "2": second, "3": third,
            info("Abc"): MuseumDocument.imageInfo("Abc", width: 4_000, height: 3_000).text,
        ]
    }

    static func picture(_ name: String) -> String {
        "https://iiif.micr.io/\(name)/full/max/0/default.jpg"
    }

    static func info(_ name: String) -> String { "https://iiif.micr.io/\(name)/info.json" }

    /// `"en"`, `"nl"`, or the number of another language.
    static func name(_ text: String, _ language: String?, _ classes: [String] = []) -> String {
        let kinds = classes.map { #"{"id":"\#(Self.classes[$0] ?? $0)","type":"Type"}"# }
        let language = language.map { languages[$0] ?? $0 }
            .map { #","language":[{"id":"http://vocab.getty.edu/aat/\#($0)"}]"# }
        return """
            {"type":"Name","content":"\(text)","classified_as":[\(kinds.joined(separator: ","))]\
            \(language ?? "")}
            """
    }

    static let languages = ["en": "300388277", "nl": "300388256"]
    static let classes = [
        "preferred": "http://vocab.getty.edu/aat/300404670",
        "former": "https://id.rijksmuseum.nl/22015528",
        "number": "http://vocab.getty.edu/aat/300312355",
        "maker": "http://vocab.getty.edu/aat/300435417",
        "makers": "http://vocab.getty.edu/aat/300435416",
        "place": "http://vocab.getty.edu/aat/300456575",
    ]
}

extension Rijksmuseum {
    /// Object 1 of a made-up museum.
    func details(_ museum: MuseumScript) async throws -> ItemDetails {
        try await details(of: item(kind: "object", id: "1"), api: museum)
    }
}
