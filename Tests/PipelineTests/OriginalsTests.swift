import Catalog
import Fetch
import FoundationEssentials
import Memory
import PipelineSupport
import Store
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

/// What an origin's answer does to what is stored.
@Suite(.timeLimit(.minutes(1))) struct OriginalsTests {
    private typealias Reply = Result<FetchResponse, FetchError>

    /// Gives the reply that is set, whatever is asked.
    private final class ScriptedFetch: Fetching {
        private let state = Mutex<(reply: Reply, asked: [FetchRequest])>(
            (.failure(FetchError(.stopped)), []))

        var asked: [FetchRequest] { state.withLock { $0.asked } }
        func set(_ reply: Reply) { state.withLock { $0.reply = reply } }

        func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
            let reply = state.withLock { state in
                state.asked.append(request)
                return state.reply
            }
            return try reply.get()
        }
    }

    private let directory: TemporaryDirectory
    private let clock = ManualClock()
    private let fetch = ScriptedFetch()
    private let index: Index
    private let blobs: BlobStore
    private let blocks: Blocks
    private let originals: Originals
    private let budget = ByteBudget(bytes: 16 << 20)
    private let url = "https://images.example/1.jpg"
    private let hosts = [HostPattern("images.example")]
    private let item = Item(source: "tvmaze", kind: "show", id: "1")

    init() throws {
        directory = try TemporaryDirectory()
        index = try Index(root: directory.path)
        blobs = try BlobStore(root: directory.path)
        blocks = Blocks(
            try UserData(root: directory.path), FreshnessPolicy(), Harness.silentLogger,
            now: { [clock] in clock.now })
        originals = Originals(
            fetch: fetch, metrics: PipelineMetrics(), blobs: blobs, index: index,
            blocks: blocks, freshness: FreshnessPolicy(), maxBytes: 1 << 20, budget: budget,
            rendersSoon: { true }, now: { [clock] in clock.now })
    }

    private func answer(
        _ status: Int = 200, _ body: [UInt8] = [], from url: String? = nil,
        _ headers: [(name: String, value: String)] = [("Cache-Control", "max-age=60")]
    ) -> Reply {
        .success(
            FetchResponse(
                status: status, headers: headers, body: body, url: url ?? self.url,
                attempts: [
                    FetchAttempt(status: status, failure: nil, duration: .zero, pause: .zero)
                ], timings: FetchTimings()))
    }

    private func acquire(_ hosts: [HostPattern]? = nil) async throws -> Acquisition {
        try await originals.acquire(url, hosts: hosts ?? self.hosts)
    }

    private struct Missing: Error {}

    /// The original, where there has to be one.
    private func acquired(
        by originals: Originals? = nil, isForMiss: Bool = false
    ) async throws -> Original {
        let acquisition = try await (originals ?? self.originals).acquire(
            url, hosts: hosts, isForMiss: isForMiss)
        guard case .original(let original) = acquisition else { throw Missing() }
        return original
    }

    private func origin(_ hosts: [HostPattern]? = nil) async throws -> Original.Provenance? {
        guard case .original(let original) = try await acquire(hosts) else { return nil }
        // As a walk does.
        if original.provenance != .stale {
            var record = original.record
            record.format = "jpeg"
            try await index.record(record)
        }
        return original.provenance
    }

    private func failure(_ hosts: [HostPattern]? = nil) async throws -> Failure? {
        guard case .failure(let failure, _, _) = try await acquire(hosts) else { return nil }
        return failure
    }

    private static let attempts = [
        FetchAttempt(
            status: 500, failure: nil, duration: .milliseconds(30), pause: .milliseconds(500)),
        FetchAttempt(status: 200, failure: nil, duration: .milliseconds(12), pause: .zero),
    ]
    private static let timedOut = FetchError(
        .timedOut(connected: true), host: "images.example", attempts: attempts)

    @Test func `an original knows how long its attempts took, unless it was stored`() async throws {
        var reply = try answer(200, [1]).get()
        reply.attempts = Self.attempts
        fetch.set(.success(reply))
        let fetched = try await acquired()
        #expect(fetched.took == .milliseconds(42))
        let stored = try await acquired()
        #expect(stored.provenance == .stored && stored.took == nil)
        clock.advance(by: 61)
        fetch.set(.failure(Self.timedOut))
        let stale = try await acquired()
        #expect(stale.provenance == .stale && stale.took == .milliseconds(42))
    }

    @Test func `a failure knows how long its attempts took, unless it was remembered`()
        async throws
    {
        fetch.set(.failure(Self.timedOut))
        guard case .failure(_, asked: true, let took) = try await acquire() else {
            Issue.record("not asked")
            return
        }
        #expect(took == .milliseconds(42))
        guard case .failure(_, asked: false, let remembered) = try await acquire() else {
            Issue.record("asked again")
            return
        }
        #expect(remembered == nil)
    }

    @Test(arguments: ["nan", "inf", "1e400", "-1", "99999999999999999999", "1 2", ""])
    func `an age that is not a number of seconds costs no second download`(age: String) async throws
    {
        fetch.set(answer(200, [1], [("Cache-Control", "max-age=600"), ("Age", age)]))
        #expect(try await origin() == .fetched)
        #expect(try await origin() == .stored)
        #expect(fetch.asked.count == 1)
    }

    @Test(
        arguments: [
            .addressRefused(host: "images.example", address: "0.0.0.0", reason: "unspecified"),
            .hostNotAllowed(host: "portal.example"), .tooLarge(limit: 1),
            .timedOut(connected: true), .tooManyRedirects(limit: 3),
        ] as [FetchError.Cause])
    func `a stored picture is replaced only when the source says that there is none`(
        cause: FetchError.Cause
    ) async throws {
        fetch.set(answer(200, [1]))
        #expect(try await origin() == .fetched)
        clock.advance(by: 61)
        fetch.set(.failure(FetchError(cause, host: "images.example")))
        #expect(try await origin() == .stale)
        // Remembered: stale all the same, and the origin is not asked for each request.
        #expect(try await origin() == .stale)
        #expect(fetch.asked.count == 2)
        clock.advance(by: 3_601)
        fetch.set(answer(200, [2]))
        #expect(try await origin() == .fetched)
    }

    @Test func `another host's 404 is not the source's own word where any host may answer`()
        async throws
    {
        let any = [HostPattern("*")]
        fetch.set(answer(200, [1]))
        #expect(try await origin(any) == .fetched)
        clock.advance(by: 61)
        fetch.set(answer(404, from: "https://portal.example/login"))
        #expect(try await origin(any) == .stale)
    }

    @Test func `a name that leads astray for a moment is asked again after 30 s`() async throws {
        fetch.set(
            .failure(
                FetchError(
                    .addressRefused(host: "images.example", address: "0.0.0.0", reason: "no"))))
        #expect(try await failure()?.kind == .refused)
        clock.advance(by: 31)
        fetch.set(answer(200, [1]))
        #expect(try await origin() == .fetched)
    }

    @Test func `a refusal to one source does not refuse another`() async throws {
        fetch.set(.failure(FetchError(.hostNotAllowed(host: "cdn.example"))))
        #expect(try await failure()?.kind == .refused)
        fetch.set(answer(200, [1]))
        #expect(try await failure()?.kind == .refused)
        let wider = hosts + [HostPattern("cdn.example")]
        #expect(try await origin(wider) == .fetched)
        #expect(fetch.asked.count == 2)
        #expect(try await origin() == .stale)
    }

    @Test func `a stored original is not given to a source that may not fetch it`() async throws {
        fetch.set(answer(200, [1]))
        #expect(try await origin() == .fetched)
        fetch.set(.failure(FetchError(.hostNotAllowed(host: "images.example"))))
        #expect(try await failure([HostPattern("other.example")])?.kind == .refused)
    }

    @Test func `what is fetched, and what is read again, has its room in the budget`() async throws
    {
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        fetch.set(answer(200, bytes))
        _ = try await origin()
        #expect(fetch.asked.map { $0.budget === budget } == [true])
        let stored = try await acquired()
        #expect(stored.provenance == .stored && budget.load.held == 0)
        var read = try await originals.bytes(of: stored, item)
        #expect(read?.bytes == bytes && budget.load.held == bytes.count)
        // All the rest is taken: the next one waits.
        let rest = try await budget.reserve(budget.largest - bytes.count)
        let next = Task { try await originals.bytes(of: stored, item)?.bytes.count }
        await eventually { budget.load.waiting == 1 }
        read = nil
        #expect(try await next.value == bytes.count)
        #expect(rest.bytes == budget.largest - bytes.count)
    }

    @Test func `a rejected original stays where another address has the same bytes`() async throws {
        let bytes: [UInt8] = [1, 2, 3]
        var other = OriginalRecord(
            url: "https://images.example/2.jpg", fetchedAt: clock.now, freshUntil: clock.now)
        other.digest = try await blobs.put(bytes)
        try await index.record(other)
        fetch.set(answer(200, bytes))
        let original = try await acquired()
        let (failure, kept) = try await originals.reject(original, of: item, reason: "not an image")
        #expect(failure.kind == .rejected)
        #expect(kept == nil)
        #expect(try await blobs.contains(original.digest))
    }

    @Test(
        arguments: [
            ("1.0", [], true), ("1.1", [], true), ("1.1", [("Content-Length", "1")], false),
            ("1.1", [("Transfer-Encoding", "Chunked")], false), ("2", [], false),
        ] as [(String, [(name: String, value: String)], Bool)])
    func `what ended without a length and is broken is asked for again soon`(
        version: String, fields: [(name: String, value: String)], isUnfinished: Bool
    ) async throws {
        var response = FetchResponse(
            status: 200, headers: fields, body: [1], url: url,
            attempts: [FetchAttempt(status: 200, failure: nil, duration: .zero, pause: .zero)],
            timings: FetchTimings())
        response.timings.httpVersion = version
        fetch.set(.success(response))
        let original = try await acquired()
        let (failure, _) = try await originals.reject(original, of: item, reason: "cut off")
        #expect(failure.kind == (isUnfinished ? .unfinished : .rejected))
        let life = failure.until.timeIntervalSince(clock.now)
        #expect(life == (isUnfinished ? 30 : 3_600))
        #expect(try await self.failure()?.kind == failure.kind)
    }

    @Test func `a rejected original without other references is removed`() async throws {
        fetch.set(answer(200, [1]))
        let original = try await acquired()
        _ = try await originals.reject(original, of: item, reason: "not an image")
        #expect(try await !blobs.contains(original.digest))
    }

    @Test func `an original is recorded when it arrives, so that no other run downloads it again`()
        async throws
    {
        fetch.set(answer(200, [1]))
        let original = try await acquired()
        #expect(try await index.original(url: url)?.digest == original.digest)
        // Another process, before the first one has rendered.
        let other = Originals(
            fetch: fetch, metrics: PipelineMetrics(), blobs: blobs, index: index,
            blocks: blocks, freshness: FreshnessPolicy(), maxBytes: 1 << 20, budget: budget,
            now: { [clock] in clock.now })
        let known = try await acquired(by: other)
        #expect(known.provenance == .stored && known.digest == original.digest)
        #expect(fetch.asked.count == 1)
        // It proves to be no picture: nothing of it stays but the failure.
        let (_, kept) = try await other.reject(known, of: item, reason: "not an image")
        #expect(kept == nil)
        #expect(try await index.original(url: url)?.digest == nil)
        #expect(try await !blobs.contains(original.digest))
        #expect(try await failure()?.kind == .rejected)
        #expect(fetch.asked.count == 1)
    }

    @Test func `an original that is rendered soon is stored with its thumbnails`() async throws {
        fetch.set(answer(200, [1]))
        var original = try await acquired(isForMiss: true)
        #expect(original.unstored?.digest == original.digest)
        #expect(try await !blobs.contains(original.digest))
        #expect(try await index.original(url: url) == nil)
        // Its render was canceled.
        try await originals.storeUnrendered(&original)
        #expect(try await blobs.contains(original.digest))
        #expect(try await index.original(url: url)?.digest == original.digest)
        #expect(try await origin() == .stored)
        #expect(fetch.asked.count == 1)
    }

    @Test func `a stored picture keeps its record until new bytes have proved to be a picture`()
        async throws
    {
        fetch.set(answer(200, [1]))
        #expect(try await origin() == .fetched)
        let first = try await index.original(url: url)?.digest
        clock.advance(by: 61)
        fetch.set(answer(200, [2]))
        let original = try await acquired()
        #expect(try await index.original(url: url)?.digest == first)
        // Another process finds the new bytes, and asks for them no more.
        let found = try await acquired()
        #expect(found.digest == original.digest && found.record.url == url)
        #expect(fetch.asked.count == 2)
        let (_, kept) = try await originals.reject(found, of: item, reason: "not an image")
        #expect(kept?.digest == first)
        #expect(try await !blobs.contains(original.digest))
    }

    @Test func `an original stored by a clock that was ahead is out of date`() async throws {
        fetch.set(answer(200, [1]))
        clock.advance(by: 86_400 * 365)
        #expect(try await origin() == .fetched)
        clock.advance(by: -86_400 * 365)
        fetch.set(answer(304))
        #expect(try await origin() == .revalidated)
        #expect(try await origin() == .stored)
    }

    @Test func `a failure stored by a clock that was ahead has run out`() async throws {
        clock.advance(by: 86_400 * 365)
        fetch.set(answer(404))
        #expect(try await failure()?.kind == .absent)
        clock.advance(by: -86_400 * 365)
        fetch.set(answer(200, [1]))
        #expect(try await origin() == .fetched)
    }
}

@Suite(.timeLimit(.minutes(1))) struct RefreshBrakeTests {
    private let brake = RefreshBrake(FreshnessPolicy())
    private let item = Item(source: "tvmaze", kind: "show", id: "1")
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func `one refresh of an item runs at a time`() {
        #expect(brake.begin(item, at: start))
        #expect(!brake.begin(item, at: start))
        brake.end(item, isRefreshed: true, at: start)
        #expect(brake.begin(item, at: start))
    }

    @Test func `after failures the pauses grow from 30 s to 5 minutes, and end with a success`() {
        var now = start
        for pause in [30, 60, 120, 240, 300, 300] as [TimeInterval] {
            #expect(brake.begin(item, at: now))
            brake.end(item, isRefreshed: false, at: now)
            #expect(!brake.begin(item, at: now.addingTimeInterval(pause - 1)))
            now += pause + 1
        }
        #expect(brake.begin(item, at: now))
        brake.end(item, isRefreshed: true, at: now)
        #expect(brake.begin(item, at: now))
    }

    @Test func `a clock that is set back ends no pause later than it began`() {
        #expect(brake.begin(item, at: start))
        brake.end(item, isRefreshed: false, at: start)
        #expect(brake.begin(item, at: start.addingTimeInterval(-3_600)))
    }
}
