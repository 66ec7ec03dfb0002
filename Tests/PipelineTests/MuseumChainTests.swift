import Catalog
import FoundationEssentials
import Imaging
import JSON
import Pipeline
import PipelineSupport
import PlayedAPIs
import Store
import TestSupport
import Testing

/// The museum's whole chain, object → VisualItem → DigitalObject → size → picture, with every hop
/// failing in turn.
@Suite(.timeLimit(.minutes(1))) struct MuseumChainTests {
    private func harness(hasty: Bool = false) async throws -> Harness {
        let harness = try await Harness(hasty: hasty)
        harness.serveMuseum()
        return harness
    }

    private func picture(_ harness: Harness, of number: Int = 1) async throws -> Picture {
        try await harness.pipeline.pictures.picture(
            of: harness.museumObject(number), level: try harness.pipeline.level("m"),
            format: .jpeg
        ).picture
    }

    /// What was told and done on the last walk, one line a step.
    private func story(_ harness: Harness, of number: Int = 1) async throws -> [String] {
        let trace = try await harness.pipeline.pictures.explain(
            harness.museumObject(number), resolving: false
        ).trace
        return try #require(trace).steps.map { "\($0.label): \($0.outcome): \($0.note)" }
    }

    @Test func `the picture is asked for in the size wanted, after five calls`() async throws {
        try await withHarness(harness()) { harness in
            let picture = try await picture(harness)
            #expect((picture.facts.width, picture.facts.height) == (320, 240))
            #expect(harness.origin.log.requests.map(\.path) == Harness.museumHops())
            #expect(
                harness.origin.log.requests.prefix(3)
                    .allSatisfy { $0.header("accept") == "application/ld+json" })
            #expect(
                try await story(harness) == [
                    "catalog rijksmuseum/object/1: followed: asked", "IIIF 320×240: chosen: 200",
                ])
            let details = try await harness.pipeline.catalog.details(of: harness.museumObject())
                .details
            #expect(details.entry.rights == "https://creativecommons.org/publicdomain/mark/1.0/")
        }
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        var name: String
        var reply: OriginReply
        /// What a record that fails like this makes of the item.
        var kind: Failure.Kind
        /// How the reason ends that people are told.
        var reason: String

        var testDescription: String { name }
    }

    /// Those that each hop of the museum meets in its own way. `ChainTests` has the others, which are the same for
    /// every catalog, and `MuseumWalkTests` what makes no sense.
    static let faults = [
        Fault(name: "404", reply: .status(404), kind: .absent, reason: ""),
        Fault(name: "400", reply: .status(400), kind: .absent, reason: ""),
        Fault(
            name: "503", reply: .status(503), kind: .unavailable,
            reason: "id.rijksmuseum.nl answered 503."),
        Fault(
            name: "a redirect to a look-alike",
            reply: .redirect(to: "https://id.rijksmuseum.nl.example.com/1"), kind: .unavailable,
            reason:
                "The host id.rijksmuseum.nl.example.com is not among those allowed for this request."
        ),
        Fault(
            name: "a redirect in a circle",
            reply: .redirect(to: "https://id.rijksmuseum.nl/7"), kind: .unavailable,
            reason: "There was more than one redirect."),
    ]

    /// Each object fails at another hop.
    @Test(arguments: faults)
    func `a hop that fails ends in the best picture left, or in the right class, and is explained`(
        fault: Fault
    ) async throws {
        try await withHarness { harness in
            harness.origin.on("/7", .redirect(to: "https://id.rijksmuseum.nl/7"))
            for number in 1...5 {
                harness.serveMuseum(number)
                harness.origin.on(Harness.museumHops(number)[number - 1], fault.reply)
            }
            for (number, name) in [(1, "object 1"), (2, "VisualItem 22"), (3, "DigitalObject 33")] {
                let failure = try #require(try await picture(harness, of: number).failure)
                #expect(failure.kind == fault.kind)
                let reason =
                    fault.kind == .absent
                    ? "Rijksmuseum has no \(number == 1 ? "" : "picture of ")object \(number)."
                    : "Rijksmuseum's \(name) can't be read: \(fault.reason)"
                #expect(failure.reason == reason)
                #expect(
                    try await story(harness, of: number).last
                        == "catalog rijksmuseum/object/\(number): failed: \(reason)")
            }
            #expect(harness.origin.log.requests.allSatisfy { !$0.path.contains("full") })
            // Without its size the picture is asked for as it is wanted.
            #expect(try await picture(harness, of: 4).facts.width == 320)
            #expect(
                try await story(harness, of: 4).last == "IIIF, size not known, 320×480: chosen: 200"
            )
            // A size that is refused gives way to a smaller one.
            let picture = try await picture(harness, of: 5)
            #expect((picture.facts.width, picture.facts.height) == (160, 120))
            #expect(try await story(harness, of: 5).last == "IIIF 160×120: chosen: 200")
        }
    }

    @Test(
        arguments: [
            (.status(404), .absent), (.status(400), .unavailable), (.status(503), .unavailable),
            (.html("<html>"), .rejected), (.redirect(to: "https://10.0.0.1/"), .refused),
        ] as [(OriginReply, Failure.Kind)])
    func `without any size there is a placeholder`(
        reply: OriginReply, kind: Failure.Kind
    ) async throws {
        try await withHarness(harness()) { harness async throws in
            harness.origin.on(Harness.museumPicture(), reply)
            harness.origin.on(Harness.museumPicture(size: "160,240"), reply)
            #expect(try await picture(harness).failure?.kind == kind)
        }
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func `a hop that is too slow is not a missing picture`(hop: Int) async throws {
        try await withHarness(harness(hasty: true)) { harness in
            harness.origin.on(Harness.museumHops()[hop], .silence)
            let picture = try await picture(harness)
            switch hop {
            case 0...2: #expect(picture.failure?.kind == .timedOut)
            case 3: #expect(picture.facts.width == 320)
            default: #expect(picture.facts.width == 160)
            }
        }
    }

    @Test func `the absence of a picture is remembered for a day`() async throws {
        try await withHarness(harness()) { harness in
            harness.origin.on(
                "/21", .json(#"{"id":"https://id.rijksmuseum.nl/21","type":"VisualItem"}"#))
            let failure = try #require(try await picture(harness).failure)
            #expect(failure.kind == .absent)
            #expect(failure.reason == "Rijksmuseum has no picture of object 1.")
            #expect(failure.until.timeIntervalSince(harness.clock.now) == 86_400)
            // A day later there may be one.
            harness.serveMuseum()
            harness.clock.advance(by: 86_401)
            #expect(try await picture(harness).facts.width == 320)
        }
    }

    @Test func `the id host may answer with one redirect to the data host`() async throws {
        try await withHarness(harness()) { harness async throws in
            for number in [1, 21, 31] {
                harness.origin.on(
                    "/\(number)", host: "id.rijksmuseum.nl",
                    .redirect(to: "https://data.rijksmuseum.nl/\(number)", status: 303))
            }
            harness.origin.on("/1", host: "data.rijksmuseum.nl", .json(Harness.museumRecord(1)))
            harness.origin.on(
                "/21", host: "data.rijksmuseum.nl",
                .json(#"{"id":"x","digitally_shown_by":"https://id.rijksmuseum.nl/31"}"#))
            harness.origin.on(
                "/31", host: "data.rijksmuseum.nl", .json(Harness.digitalObject(1).text))
            #expect(try await picture(harness).facts.width == 320)
        }
    }

    @Test func `an outage passes, and hops that answered are not asked again`() async throws {
        try await withHarness(harness()) { harness async throws in
            harness.origin.on("/31", .status(503))
            #expect(try await picture(harness).failure?.kind == .unavailable)
            harness.clock.advance(by: 31)
            harness.serveMuseum()
            #expect(try await picture(harness).facts.width == 320)
            #expect(harness.origin.log.count("/1") == 1)
            #expect(harness.origin.log.count("/21") == 1)
            #expect(harness.origin.log.count("/31") == 5)
        }
    }
}
