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

/// Every chain, with every hop failing in turn; the museum's is told apart.
@Suite(.timeLimit(.minutes(1))) struct ChainTests {
    private func harness(_ chain: CatalogChain, slow: Bool = false) async throws -> Harness {
        let harness = try await Harness(hasty: slow)
        chain.serve(harness)
        return harness
    }

    private func picture(_ harness: Harness, of item: Item) async throws -> Picture {
        try await harness.pipeline.pictures.picture(
            of: item, level: try harness.pipeline.level("m"), format: .jpeg
        ).picture
    }

    private func steps(_ harness: Harness, of item: Item) async throws -> [Trace.Step] {
        let explanation = try await harness.pipeline.pictures.explain(item, resolving: false)
        let trace = try #require(explanation.trace)
        let told =
            trace.steps.map { "\($0.label) \($0.note) \($0.url ?? "")" }
            + explanation.levels.compactMap(\.failure?.reason)
            + [explanation.catalogProblem ?? ""]
        for secret in Harness.secrets { #expect(!told.contains { $0.contains(secret) }) }
        #expect(!told.contains { $0.contains("Bearer") || $0.contains("Basic") })
        return trace.steps
    }

    /// A 404 is read by each catalog in its own way. The other faults are the same for all: one call
    /// and one picture protect them.
    private static let faults: [(HopCase, HopFault)] =
        CatalogChain.all.flatMap(\.cases).map { ($0, HopFault.absence) }
        + CatalogChain.show.cases.prefix(2).flatMap { place in
            HopFault.all.filter { !$0.isAbsence }.map { (place, $0) }
        }

    @Test(arguments: faults)
    func `a hop that fails ends in the best picture left, or in the right class, and is explained`(
        at place: HopCase, with fault: HopFault
    ) async throws {
        let (chain, hop) = (place.chain, place.hop)
        try await withHarness(harness(chain, slow: fault.isSlow)) { harness in
            harness.origin.on(hop.path, host: hop.host, fault.reply)
            let picture = try await picture(harness, of: chain.item)
            let wasAsked = harness.origin.log.requests.contains {
                $0.host == hop.host && $0.path == hop.path
            }
            let steps = try await steps(harness, of: chain.item)
            if let rest = hop.rest {
                #expect(picture.failure == nil)
                #expect(steps.last?.outcome == .chosen)
                #expect(steps.last?.label == rest)
            } else {
                #expect(
                    picture.failure?.kind
                        == (fault.isAbsence && !hop.endsWith404 ? .unavailable : fault.api.kind))
            }
            let failed = steps.filter { $0.outcome == .failed }
            if wasAsked, let told = hop.told(of: fault) {
                #expect(failed.map(\.note) == [told])
                #expect(
                    failed.map(\.label) == [hop.isPicture ? hop.name : "catalog \(chain.item)"])
            } else {
                #expect(failed.isEmpty)
            }
        }
    }

    @Test(arguments: zip(CatalogChain.all, HopFault.all.filter { !$0.isSlow }))
    func `a chain without a picture left fails with the right class`(
        of chain: CatalogChain, with fault: HopFault
    ) async throws {
        try await withHarness(harness(chain)) { harness in
            for host in chain.pictureHosts { harness.origin.on("*", host: host, fault.reply) }
            let failure = try await picture(harness, of: chain.item).failure
            #expect(failure?.kind == fault.picture.kind)
        }
    }

    @Test func `one candidate that may still be there outweighs all that are gone`() async throws {
        let chain = CatalogChain.movie
        try await withHarness(harness(chain)) { harness in
            for host in chain.pictureHosts { harness.origin.on("*", host: host, .status(404)) }
            let first = chain.hops.filter(\.isPicture)[0]
            harness.origin.on(first.path, host: first.host, .status(503))
            let failure = try #require(try await picture(harness, of: chain.item).failure)
            #expect(failure.kind == .unavailable)
            #expect(failure.until.timeIntervalSince(harness.clock.now) == 30)
        }
    }

    @Test func `explaining asks a catalog for no more than the picture did`() async throws {
        try await withHarness { harness in
            harness.serveAlbum()
            harness.origin.on(
                "/search", host: Harness.iTunesHosts[0],
                .json(ITunesAlbum.results([Harness.album.json]).text))
            _ = try await harness.pipeline.catalog.page(
                harness.pipeline.catalog.query(
                    source: "itunes", list: "albums", parameters: ["term": "abc"]))
            _ = try await picture(harness, of: CatalogChain.album.item)
            let explained = try await harness.pipeline.pictures.explain(
                CatalogChain.album.item, resolving: true)
            #expect(explained.title == "Album")
            #expect(
                explained.candidates.map(\.label) == [
                    "artwork 1200×1200", "artworkUrl100", "artworkUrl60",
                ])
            #expect(harness.origin.log.count("/lookup") == 0)
        }
    }
}
