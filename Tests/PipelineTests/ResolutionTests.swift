import Catalog
import FoundationEssentials
import Testing

@testable import Pipeline

@Suite struct ResolutionTests {
    private static let show = Item(source: "tvmaze", kind: "show", id: "1")
    private static let album = Item(source: "itunes", kind: "album", id: "2")

    private func candidate(_ label: String) -> Candidate {
        Candidate(url: "https://example.org/\(label)", label: label, rank: 0)
    }

    private func failure(_ kind: Failure.Kind, until seconds: TimeInterval) -> Failure {
        Failure(kind, "\(kind)", until: Date(timeIntervalSince1970: seconds))
    }

    @Test func `the item is asked first, then its candidates in their order`() {
        var resolution = Resolution(of: Self.show, maxSteps: 10)
        #expect(resolution.next() == .item(Self.show))
        resolution.follow([.candidate(candidate("a")), .candidate(candidate("b"))])
        #expect(resolution.next() == .candidate(candidate("a")))
        #expect(resolution.next() == .candidate(candidate("b")))
        #expect(resolution.next() == nil)
    }

    @Test func `the chain of another item comes in its place, before what follows it`() {
        var resolution = Resolution(of: Self.show, maxSteps: 10)
        _ = resolution.next()
        resolution.follow([.item(Self.album), .candidate(candidate("last"))])
        #expect(resolution.next() == .item(Self.album))
        resolution.follow([.candidate(candidate("cover"))])
        #expect(resolution.next() == .candidate(candidate("cover")))
        #expect(resolution.next() == .candidate(candidate("last")))
    }

    @Test func `items that name each other are asked once`() {
        var resolution = Resolution(of: Self.show, maxSteps: 10)
        _ = resolution.next()
        resolution.follow([.item(Self.album)])
        #expect(resolution.next() == .item(Self.album))
        resolution.follow([.item(Self.show)])
        #expect(resolution.next() == nil)
    }

    @Test func `a chain ends after the most steps`() {
        var resolution = Resolution(of: Self.show, maxSteps: 3)
        _ = resolution.next()
        resolution.follow((1...9).map { .candidate(candidate("\($0)")) })
        #expect(resolution.next() == .candidate(candidate("1")))
        #expect(resolution.next() == .candidate(candidate("2")))
        #expect(resolution.next() == nil)
    }

    @Test func `one unavailable origin makes the whole chain's failure transient`() {
        var resolution = Resolution(of: Self.show, maxSteps: 3)
        #expect(resolution.failure == nil)
        resolution.fail(failure(.absent, until: 900))
        resolution.fail(failure(.unavailable, until: 30))
        #expect(resolution.failure == failure(.unavailable, until: 30))
    }

    @Test func `a picture is fresh no longer than a better candidate's failure is remembered`() {
        var resolution = Resolution(of: Self.show, maxSteps: 3)
        let original = Date(timeIntervalSince1970: 500)
        #expect(resolution.freshUntil(original) == original)
        resolution.fail(failure(.unavailable, until: 30))
        resolution.fail(failure(.rejected, until: 900))
        #expect(resolution.freshUntil(original) == Date(timeIntervalSince1970: 30))
    }

    @Test(
        arguments: [
            (.absent, false), (.unavailable, true), (.timedOut, true), (.rejected, true),
            (.refused, true),
        ] as [(Failure.Kind, Bool)])
    func `a stored picture stays unless the source says that there is none`(
        kind: Failure.Kind, stays: Bool
    ) {
        #expect(Resolution.keepsStored(despite: failure(kind, until: 1)) == stays)
    }
}
