import Fetch
import Testing

@testable import Catalog

/// The way from an object to its picture; all records made up.
@Suite(.timeLimit(.minutes(1))) struct MuseumWalkTests {
    let source = Rijksmuseum()

    private func links(_ numbers: Int...) -> String {
        numbers.map { #"{"id":"https://id.rijksmuseum.nl/\#($0)"}"# }.joined(separator: ",")
    }

    @Test func `object, VisualItem, DigitalObject, image service`() async throws {
        let museum = MuseumScript(MadeUp.chain())
        let details = try await source.details(museum)
        #expect(museum.asked == ["1", "2", "3", MadeUp.info("Abc")])
        #expect(
            details.chain == [
                .scalable(
                    ScalableCandidate(
                        template: "https://iiif.micr.io/Abc/full/!{width},{height}/0/default.jpg",
                        label: "IIIF", rank: 0, maxWidth: 4_000, maxHeight: 3_000))
            ])
        #expect(details.absence == nil)
        #expect(details.isResolved)
    }

    @Test func `each hop asks as the museum wants it, and is kept for its own time`() async throws {
        let museum = MuseumScript(MadeUp.chain())
        _ = try await source.details(museum)
        let calls = museum.calls
        #expect(calls.map { $0.keeping?.timeToLive } == [1, 7, 7, 30].map { $0 * 86_400 })
        #expect(calls.map { $0.keeping?.key } == calls.map(\.url))
        #expect(calls.allSatisfy { $0.maxRedirects == 1 })
        let hosts = calls.map { $0.allowedHosts.map(\.description) }
        let records = ["id.rijksmuseum.nl", "data.rijksmuseum.nl"]
        #expect(hosts == [records, records, records, ["iiif.micr.io"]])
        #expect(
            calls.map { $0.headers.map { "\($0.name): \($0.value)" } }
                == [1, 1, 1, 0].map { Array(repeating: "Accept: application/ld+json", count: $0) })
    }

    @Test
    func `only the fields that are read are kept of a record, and nothing of a malformed one`()
        async throws
    {
        let museum = MuseumScript(MadeUp.chain())
        let details = try await source.details(museum)
        let bodies = MadeUp.chain()
        var kept: [String: String] = [:]
        for (call, name) in zip(museum.calls, ["1", "2", "3", MadeUp.info("Abc")]) {
            let body = try #require(bodies[name] ?? nil)
            let keep = try #require(call.keeping?.part)
            let long = #"{"dimension":[{"value":"82"}],"# + body.dropFirst()
            let part = try #require(keep(Array(long.utf8)))
            #expect(part.count <= body.utf8.count)
            kept[name] = String(decoding: part, as: UTF8.self)
            for odd in ["[]", "{}", #"{"detail":"x"}"#, "", "<html>", #"{"id":"x","#] {
                #expect(keep(Array(odd.utf8)) == nil)
            }
        }
        #expect(try await source.details(MuseumScript(kept)) == details)
    }

    @Test func `the absence of a picture is not kept`() async throws {
        let museum = MuseumScript(MadeUp.chain())
        _ = try await source.details(museum)
        let parts = museum.calls.map { $0.keeping?.part }
        #expect(parts[1]?(Array(MadeUp.record(2, "VisualItem").utf8)) == nil)
        #expect(parts[2]?(Array(MadeUp.record(3, "DigitalObject").utf8)) == nil)
    }

    static let absent = "Rijksmuseum has no picture of object 1."

    @Test(
        arguments: [
            (["1": MadeUp.object(1)], ["1"]),
            (["1": MadeUp.object(1, #""shows":[]"#)], ["1"]),
            (["2": MadeUp.record(2, "VisualItem")], ["1", "2"]),
            (["2": MadeUp.record(2, "VisualItem", #""digitally_shown_by":[]"#)], ["1", "2"]),
            (["3": MadeUp.record(3, "DigitalObject")], ["1", "2", "3"]),
            (["3": MadeUp.record(3, "DigitalObject", #""access_point":[]"#)], ["1", "2", "3"]),
            (["3": MadeUp.record(3, "DigitalObject", #""access_point":["x"]"#)], ["1", "2", "3"]),
        ] as [([String: String], [String])])
    func `no picture is a normal answer`(records: [String: String], asked: [String]) async throws {
        let museum = MuseumScript(MadeUp.chain().merging(records) { $1 })
        let details = try await source.details(museum)
        #expect(details.chain.isEmpty)
        #expect(details.absence == Self.absent)
        #expect(museum.asked == asked)
    }

    @Test(arguments: [
        "https://id.rijksmuseum.nl.example.com/2", "https://example.com/2",
        "https://id.rijksmuseum.nl:8443/2", "https://me@id.rijksmuseum.nl/2",
        "ftp://id.rijksmuseum.nl/2", "//id.rijksmuseum.nl/2", "https://id.rijksmuseum.nl/2/../9",
        "https://id.rijksmuseum.nl/2?_profile=x", "https://id.rijksmuseum.nl/two",
        "https://id.rijksmuseum.nl/", "https://10.0.0.1/2", "2", "_:b2",
    ])
    func `a link that leads elsewhere is not followed`(link: String) async throws {
        let shows = MadeUp.object(1, #""shows":[{"id":"\#(link)"}]"#)
        let museum = MuseumScript(MadeUp.chain().merging(["1": shows]) { $1 })
        #expect(try await source.details(museum).chain.isEmpty)
        #expect(museum.asked == ["1"])
    }

    @Test(arguments: [
        "http://id.rijksmuseum.nl/2", "https://data.rijksmuseum.nl/2",
        "https://ID.rijksmuseum.nl:443/002",
    ])
    func `a link to a record is asked for in one form`(link: String) async throws {
        let shows = MadeUp.object(1, #""shows":"\#(link)""#)
        let museum = MuseumScript(MadeUp.chain().merging(["1": shows]) { $1 })
        #expect(try await !source.details(museum).chain.isEmpty)
        #expect(museum.asked.prefix(2) == ["1", "2"])
    }

    @Test func `of several the first that leads to a picture is taken`() async throws {
        let museum = MuseumScript([
            "1": MadeUp.object(1, #""shows":[\#(links(20, 21, 22, 23))]"#),
            "21": MadeUp.record(21, "VisualItem"),
            "22": MadeUp.record(
                22, "VisualItem", #""digitally_shown_by":[\#(links(30, 31, 32))]"#),
            "31": MadeUp.record(31, "DigitalObject", #""access_point":{"id":"https://x.org/a"}"#),
            "32": MadeUp.record(
                32, "DigitalObject",
                #""access_point":["\#(MadeUp.picture("a/b"))","\#(MadeUp.picture("Abc"))","#
                    + #""\#(MadeUp.picture("Def"))"]"#),
            MadeUp.info("Abc"): #"{"width":40,"height":30}"#,
        ])
        let details = try await source.details(museum)
        #expect(
            museum.asked == ["1", "20", "21", "22", "30", "31", "32", MadeUp.info("Abc")])
        #expect(details.chain.labels == "IIIF")
    }

    @Test func `an odd record can't ask for hundreds of others`() async throws {
        let many = (100..<300).map { #""https://id.rijksmuseum.nl/\#($0)""# }
        let shows = #""shows":[\#(many.joined(separator: ","))]"#
        let museum = MuseumScript(["1": MadeUp.object(1, shows)])
        #expect(try await source.details(museum).chain.isEmpty)
        #expect(museum.asked.count == 9)
    }

    @Test(arguments: ["niet downloadbaar", " Niet Downloadbaar", "niet zichtbaar"])
    func `a picture that is not given away is not taken`(remark: String) async throws {
        let museum = MuseumScript(
            MadeUp.chain(
                visual:
                    #""subject_to":{"classified_as":"http://rightsstatements.org/vocab/InC/1.0/"}"#,
                digital: #""referred_to_by":[{"content":"zichtbaar"},{"content":"\#(remark)"}]"#))
        let details = try await source.details(museum)
        #expect(details.chain.isEmpty)
        #expect(
            details.absence == "Rijksmuseum does not offer its picture of object 1 for download.")
        #expect(details.entry.rights == "https://rightsstatements.org/vocab/InC/1.0/")
        #expect(museum.asked == ["1", "2", "3"])
    }

    @Test(
        arguments: [
            (
                #"[{"classified_as":[{"id":"https://creativecommons.org/publicdomain/mark/1.0/"}]}]"#,
                "https://creativecommons.org/publicdomain/mark/1.0/"
            ),
            (
                #"{"classified_as":["x","http://rightsstatements.org/vocab/InC/1.0/"]}"#,
                "https://rightsstatements.org/vocab/InC/1.0/"
            ),
            (
                """
                [{"classified_as":["https://example.org/mine"],"identified_by":
                  [\(MadeUp.name("Auteursrecht", "nl")),\(MadeUp.name("Copyright", "en"))]}]
                """, "Copyright"
            ),
            (#"[{"identified_by":\#(MadeUp.name("Auteursrecht", "nl"))}]"#, "Auteursrecht"),
            ("[{}]", nil), ("7", nil),
        ] as [(String, String?)])
    func `the rights are those of the picture, not of its record`(
        rights: String, expected: String?
    ) async throws {
        let museum = MuseumScript(
            MadeUp.chain(
                visual: #""subject_to":\#(rights),"subject_of":[{"subject_to":[{"classified_as":"#
                    + #"["https://creativecommons.org/publicdomain/zero/1.0/"]}]}]"#))
        #expect(try await source.details(museum).entry.rights == expected)
    }

    @Test(arguments: [400, 404, 410]) func `an unknown object is absent`(status: Int) async {
        await #expect(
            throws: Failure.notFound(reason: "Rijksmuseum has no object 1.")
        ) {
            try await source.details(MuseumScript(statuses: ["1": status]))
        }
    }

    @Test func `a record of another kind is not an object`() async {
        await #expect(
            throws: Failure.notFound(reason: "Rijksmuseum's record 1 is not of an object.")
        ) {
            try await source.details(MuseumScript(["1": MadeUp.record(1, "Person")]))
        }
    }

    @Test(arguments: [("1", "object"), ("2", "VisualItem"), ("3", "DigitalObject")])
    func `a hop that can't be asked is unavailable, never absent`(
        number: String, name: String
    ) async {
        await #expect(
            throws: Failure.unavailable(
                reason: "Rijksmuseum's \(name) \(number) can't be read: It is closed.",
                timedOut: false, retryAfter: 7)
        ) {
            try await source.details(MuseumScript(MadeUp.chain().merging([number: nil]) { $1 }))
        }
    }

    @Test(
        arguments: ["1", "2", "3"],
        [
            ("<html>", "id.rijksmuseum.nl answered something that is not JSON."),
            ("", "id.rijksmuseum.nl answered something that is not JSON."),
            (
                #"{"id":"https://id.rijksmuseum.nl/2","sho"#,
                "id.rijksmuseum.nl answered something that is not JSON."
            ),
            ("[]", "id.rijksmuseum.nl answered JSON of an unknown shape."),
            ("{}", "id.rijksmuseum.nl answered JSON of an unknown shape."),
            (#"{"detail":"x"}"#, "id.rijksmuseum.nl answered JSON of an unknown shape."),
        ])
    func `a hop that makes no sense is unavailable, never absent`(
        number: String, given: (body: String, sentence: String)
    ) async {
        await #expect {
            try await source.details(
                MuseumScript(MadeUp.chain().merging([number: given.body]) { $1 }))
        } throws: { error in
            guard let failure = error as? Failure, failure.kind == .sourceUnavailable else {
                return false
            }
            return failure.reason.hasSuffix("can't be read: \(given.sentence)")
        }
    }

    @Test(arguments: [300, 401, 403]) func `a refused hop is unavailable`(status: Int) async {
        await #expect(
            throws: Failure.unavailable(
                reason:
                    "Rijksmuseum's VisualItem 2 can't be read: id.rijksmuseum.nl answered \(status).",
                timedOut: false, retryAfter: nil)
        ) {
            try await source.details(MuseumScript(MadeUp.chain(), statuses: ["2": status]))
        }
    }

    @Test(arguments: [400, 404]) func `a link to a record that is gone leads nowhere`(
        status: Int
    ) async throws {
        for number in ["2", "3"] {
            let details = try await source.details(
                MuseumScript(MadeUp.chain(), statuses: [number: status]))
            #expect(details.absence == Self.absent)
        }
    }

    @Test func `a picture found elsewhere makes up for a record that can't be read`() async throws {
        let museum = MuseumScript(
            MadeUp.chain().merging([
                "1": MadeUp.object(1, #""shows":[\#(links(9, 2))]"#), "9": nil,
            ]) { $1 })
        #expect(try await source.details(museum).chain.labels == "IIIF")
        let none = MuseumScript([
            "1": MadeUp.object(1, #""shows":[\#(links(9, 2))]"#), "9": nil,
            "2": MadeUp.record(2, "VisualItem"),
        ])
        await #expect(throws: Failure.self) { try await source.details(none) }
    }

    @Test(arguments: [nil, "<html>", "{}", #"{"width":0,"height":-1}"#] as [String?])
    func `without its size a picture is asked for as it is wanted`(info: String?) async throws {
        let details = try await source.details(
            MuseumScript(MadeUp.chain().merging([MadeUp.info("Abc"): info]) { $1 }))
        let urls = details.orderedChain(for: PictureBox(width: 1280, height: 1920)).urls
        #expect(
            urls == [
                "https://iiif.micr.io/Abc/full/!1280,1920/0/default.jpg",
                "https://iiif.micr.io/Abc/full/!640,960/0/default.jpg",
            ])
        #expect(details.chain.labels == "IIIF, size not known,")
    }
}

extension [ChainStep] {
    var urls: [String] {
        compactMap { if case .candidate(let candidate) = $0 { candidate.url } else { nil } }
    }
}
