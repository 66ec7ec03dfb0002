import Catalog
import Fetch
import FoundationEssentials
import Imaging
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
            (.refused, true), (.unfinished, true),
        ] as [(Failure.Kind, Bool)])
    func `a stored picture stays unless the source says that there is none`(
        kind: Failure.Kind, stays: Bool
    ) {
        #expect(Resolution.keepsStored(despite: failure(kind, until: 1)) == stays)
    }
}

@Suite(.timeLimit(.minutes(1))) struct FailureTests {
    private func failure(_ kind: Failure.Kind, until seconds: TimeInterval = 0) -> Failure {
        Failure(kind, "\(kind) \(seconds)", until: Date(timeIntervalSince1970: seconds))
    }

    @Test(
        arguments: [
            ([.absent], .absent), ([.absent, .rejected], .rejected),
            ([.refused, .absent], .refused), ([.rejected, .unfinished], .unfinished),
            ([.absent, .unavailable, .rejected], .unavailable), ([.timedOut, .absent], .timedOut),
            ([.rejected, .timedOut, .unavailable], .unavailable),
        ] as [([Failure.Kind], Failure.Kind)])
    func `an unavailable origin outweighs final failures`(
        kinds: [Failure.Kind], expected: Failure.Kind
    ) {
        #expect(Resolution.combined(kinds.map { failure($0) })?.kind == expected)
        #expect(Resolution.combined(kinds.reversed().map { failure($0) })?.kind == expected)
    }

    @Test func `the shortest of a class decides how long a chain's failure is remembered`() {
        let combined = Resolution.combined([
            failure(.absent, until: 5), failure(.rejected, until: 90),
            failure(.rejected, until: 20),
        ])
        #expect(combined == failure(.rejected, until: 20))
    }

    @Test(
        arguments: [
            (200, .picture), (203, .picture), (304, .notModified), (404, .failed(.absent)),
            (410, .failed(.absent)), (204, .failed(.rejected)), (206, .failed(.rejected)),
            (403, .failed(.unavailable)), (429, .failed(.unavailable)),
            (500, .failed(.unavailable)),
            (503, .failed(.unavailable)), (504, .failed(.timedOut)), (408, .failed(.timedOut)),
            (302, .failed(.unavailable)),
        ] as [(Int, FetchVerdict)])
    func `each status of an origin means a picture, nothing new or a class of failure`(
        status: Int, expected: FetchVerdict
    ) {
        #expect(FetchVerdict(response(status, [])) == expected)
    }

    private func response(_ status: Int, _ ranges: [String]) -> FetchResponse {
        FetchResponse(
            status: status, headers: ranges.map { (name: "Content-Range", value: $0) },
            body: [UInt8](repeating: 0, count: 10), url: "http://a.test/", attempts: [],
            timings: FetchTimings())
    }

    @Test(arguments: [
        (["bytes 0-9/10"], true), (["Bytes  0-9/10"], true),
        (["bytes 0-9/10", "bytes 0-9/10"], true),
        (["bytes 0-9/11"], false), (["bytes 1-10/11"], false), (["bytes 0-8/9"], false),
        (["bytes 0-9/*"], false), (["bytes */10"], false), (["items 0-9/10"], false),
        (["bytes 0-9/10", "bytes 10-19/20"], false), (["bytes 00-9/10"], false),
        (["bytes=0-9/10"], false), ([""], false), ([], false),
    ])
    func `a 206 is a picture if its range is the whole`(ranges: [String], isPicture: Bool) {
        #expect(
            FetchVerdict(response(206, ranges)) == (isPicture ? .picture : .failed(.rejected)))
    }
}

@Suite(.timeLimit(.minutes(1))) struct HostNamesTests {
    @Test(arguments: [
        ("https://static.tvmaze.com/a.jpg", "static.tvmaze.com"),
        ("https://Static.TVMaze.com.:443/a.jpg", "static.tvmaze.com"),
        ("http://[2001:db8::1]:80/a", "[2001:db8::1]"), ("http://host?x=1", "host"),
        ("https://user:secret@host/a", "other"), ("host/a", "other"), ("http:///a", "other"),
        ("http://" + String(repeating: "a", count: 254) + "/", "other"),
    ])
    func `a host is one label however it is written`(url: String, name: String) {
        #expect(HostNames().name(of: url) == name)
    }

    @Test func `labels are bounded, and only counted hosts have one`() {
        let names = HostNames()
        let all = Set((0..<1_000).map { names.name(of: "https://host\($0).example/") })
        #expect(all.count == 65 && all.contains("other"))
        #expect(names.known("HOST0.example") == "host0.example")
        #expect(names.known("host999.example") == "other")
    }
}

@Suite(.timeLimit(.minutes(1))) struct WalkOrderTests {
    private func order(_ names: [String], stage: MissRequest.Stage = .open) -> MissRequest {
        let levels = Level.defaults.filter { names.contains($0.name) }
        var order = MissRequest(Set(levels.map { Rendition(level: $0, format: .webp) }))
        order.stage = stage
        return order
    }

    @Test(
        arguments: [
            (["s"], .open, ["xl"], true, 1_280), (["m"], .chosen, ["s"], true, 320),
            (["m"], .chosen, ["l"], false, 320), (["m", "s"], .rendering, ["s"], true, 320),
            (["m"], .rendering, ["s"], false, 320), (["m"], .rendering, ["l"], false, 320),
        ] as [([String], MissRequest.Stage, [String], Bool, Int)])
    func `a late caller joins a miss while its request can still be met`(
        wanted: [String], stage: MissRequest.Stage, newcomer: [String], joins: Bool, width: Int
    ) {
        var merged = order(wanted, stage: stage)
        #expect(MissRequest.merge(&merged, order(newcomer)) == joins)
        #expect(merged.box.width == width)
        let all = joins ? Set(wanted + newcomer) : Set(wanted)
        #expect(Set(merged.renditions.map(\.level.name)) == all)
    }

    @Test func `a tile asks for a candidate that covers it in any usual shape`() {
        func box(_ fit: Level.Fit) -> PictureBox {
            let level = Level(name: "tile", width: 100, height: 60, fit: fit)
            return MissRequest([Rendition(level: level, format: .jpeg)]).box
        }
        #expect(box(.contain) == PictureBox(width: 100, height: 60))
        #expect(box(.cover(.top)) == PictureBox(width: 200, height: 120))
        #expect(box(.ground) == PictureBox(width: 100, height: 60))
    }
}
