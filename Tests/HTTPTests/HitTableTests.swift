import HTTP
import Synchronization
import TestSupport
import Testing

/// Pictures whose records come and go between two looks, as originals do that are sent for a second.
private final class ChangingSource: HitSource {
    final class Record: Sendable {
        private let alive: Counter
        /// What the next looks find; once they are used up, ``isCurrent``.
        let looks: Mutex<[Bool]>
        let isCurrent = Atomic(true)

        init(_ alive: Counter, looks: [Bool] = []) {
            self.alive = alive
            self.looks = Mutex(looks)
            alive.add(1)
        }

        deinit { alive.add(-1) }
    }

    final class Counter: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add(_ more: Int) { count.add(more, ordering: .relaxed) }
    }

    /// A file that is open as long as it lives.
    private final class File: HitFile {
        private let alive: Counter

        init(_ alive: Counter) {
            self.alive = alive
            alive.add(1)
        }

        deinit { alive.add(-1) }

        let descriptor: CInt = -1
        let isUnchanged = true
        func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void) { onEnd() }
        func countSent(_ bytes: Int) {}
    }

    /// Those that any table or the source has.
    let records = Counter()
    let files = Counter()
    let charged = Counter()
    /// Whether a test's threads have served enough.
    private let current = Mutex<[String: Record]>([:])
    private let retired = Atomic(0)

    /// Puts a record at a target.
    func put(_ target: String, looks: [Bool] = []) {
        current.withLock { $0[target] = Record(records, looks: looks) }
    }

    func record(_ target: String) -> Record? { current.withLock { $0[target] } }

    func purge(_ target: String) {
        current.withLock { $0.removeValue(forKey: target) }?.isCurrent.store(
            false, ordering: .relaxed)
        retire()
    }

    func purgeAll() { for target in current.withLock({ Array($0.keys) }) { purge(target) } }

    func retire() { retired.add(1, ordering: .relaxed) }

    let now = 1_000.0
    let count = 1_000
    let maxFilesOfTable = 4
    var retiredCount: Int { retired.load(ordering: .relaxed) }

    var headTexts: HeadTexts {
        HeadTexts(
            hit: FieldLines(), stale: FieldLines(), maxAge: [], staleness: [],
            bounded: { _, _ in "" }, date: { _ in FieldLines() })
    }

    func representation(accept: UnsafeRawBufferPointer?) -> UInt8 { 0 }
    func significantCount(_ target: UnsafeRawBufferPointer, query: Int) -> Int? { nil }
    func document(_ head: RequestHead) -> HitOffer? { nil }

    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        sendsFiles: Bool, after read: (any HitRead)?
    ) -> HitFinding {
        let text = String(decoding: target, as: UTF8.self)
        guard let record = record(text) else { return .unknown }
        let isFile = text.hasPrefix("/o/")
        let prepared = PreparedHit(
            isFile ? .original : .picture, body: nil, file: isFile ? File(files) : nil,
            byteCount: 3, owner: nil, entityTag: [], lastModified: [], fields: FieldLines())
        let offer = HitOffer(
            record: record, prepared: prepared, isNegotiated: false, expires: nil)
        let isKept = !text.hasSuffix("/once")
        return isKept
            ? .inMemory(offer) : .once(offer, HitFreshness(isStale: false, secondsLeft: 1))
    }

    func isCurrent(_ record: AnyObject) -> Bool {
        guard let record = record as? Record else { return false }
        let next = record.looks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return next ?? record.isCurrent.load(ordering: .relaxed)
    }

    func mayAnswer(_ record: AnyObject) -> Bool {
        (record as? Record)?.isCurrent.load(ordering: .relaxed) == true
    }

    func use(_ record: AnyObject, negotiated: UInt8, at now: Double) -> HitFreshness {
        HitFreshness(isStale: false, secondsLeft: 1)
    }

    func charge(_ bytes: Int, to record: AnyObject) { charged.add(bytes) }
}

/// What becomes of prepared responses while their records change.
@Suite(.timeLimit(.minutes(1))) struct HitTableTests {
    /// Asks a thread's tables. Returns whether there is a response.
    private static func ask(_ hits: inout HitLookup, _ target: String) -> Bool {
        Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8).withUnsafeBytes { bytes in
            guard case .plain(let request) = RequestScan(bytes) else { return false }
            return hits.answer(request, bytes, at: hits.now()) != nil
        }
    }

    /// In the table, in use, freed.
    private static func places(_ counts: HitEntryCounts) -> [Int] {
        [counts.inTable, counts.inUse, counts.freed]
    }

    @Test(arguments: [
        // What two looks at a record find, and how many of three entries stay.
        ([true, true], 3), ([true, false], 3), ([false, true], 2), ([false, false], 2),
    ])
    func `a sweep looks at each entry once, and either keeps or frees it`(
        looks: [Bool], kept: Int
    ) {
        let source = ChangingSource()
        for target in ["/t/a", "/t/b", "/t/c"] { source.put(target) }
        do {
            var hits = HitLookup(source)
            for target in ["/t/a", "/t/b", "/t/c"] { #expect(Self.ask(&hits, target)) }
            hits.settle()
            source.record("/t/b")?.looks.withLock { $0 = looks }
            source.retire()
            hits.sweep()
            #expect(Self.places(hits.entries) == [kept, 0, 3 - kept] && hits.entries.made == 3)
            // What was freed is found again, and nothing is freed twice.
            source.record("/t/b")?.looks.withLock { $0 = [] }
            #expect(Self.ask(&hits, "/t/b"))
            source.retire()
            hits.sweep()
            source.purgeAll()
            hits.sweep()
            #expect(hits.entries.inTable == 0 && hits.entries.isBalanced)
            #expect(source.records.value == 0 && source.charged.value == 0)
        }
    }

    @Test func `an entry that is removed stays until its response is sent`() {
        let source = ChangingSource()
        source.put("/t/a")
        source.put("/t/once")
        var hits = HitLookup(source)
        #expect(Self.ask(&hits, "/t/a") && Self.ask(&hits, "/t/once"))
        source.purge("/t/a")
        #expect(!Self.ask(&hits, "/t/a"))
        #expect(Self.places(hits.entries) == [0, 2, 0])
        hits.settle()
        #expect(Self.places(hits.entries) == [0, 0, 2])
    }

    @Test func `a thread keeps few files open for its next responses`() {
        let source = ChangingSource()
        var hits = HitLookup(source, sendsFiles: true)
        for number in 0..<50 {
            source.put("/o/\(number)")
            #expect(Self.ask(&hits, "/o/\(number)"))
            hits.settle()
            #expect(source.files.value <= source.maxFilesOfTable)
        }
        // Those that it keeps are not looked up again.
        let before = hits.entries.made
        for number in 48..<50 { #expect(Self.ask(&hits, "/o/\(number)")) }
        #expect(hits.entries.made == before && hits.entries.isBalanced)
    }

    @Test func `all that is made is freed while threads serve, sweep, expire and purge at once`()
        async
    {
        let source = ChangingSource()
        let targets = (0..<48).map {
            $0 % 3 == 0 ? "/o/\($0)" : $0 % 7 == 0 ? "/t/\($0)/once" : "/t/\($0)"
        }
        for target in targets { source.put(target) }
        await withTaskGroup(of: Bool.self) { group in
            for seed in 0..<4 {
                group.addTask {
                    var hits = HitLookup(source, sendsFiles: true)
                    var (isBalanced, step) = (true, seed)
                    for _ in 0..<1_500 {
                        for _ in 0..<8 {
                            step = (step &* 31 &+ 7) % targets.count
                            _ = Self.ask(&hits, targets[step])
                        }
                        hits.settle()
                        hits.sweep()
                        let counts = hits.entries
                        isBalanced = isBalanced && counts.isBalanced && counts.inUse == 0
                    }
                    return isBalanced
                }
            }
            for seed in 0..<2 {
                group.addTask {
                    var step = seed
                    for _ in 0..<6_000 {
                        step = (step &* 17 &+ 5) % targets.count
                        // Expires, is found to be true still, and is replaced.
                        let record = source.record(targets[step])
                        record?.isCurrent.store(false, ordering: .relaxed)
                        source.retire()
                        record?.isCurrent.store(true, ordering: .relaxed)
                        if step % 5 == 0 {
                            source.purge(targets[step])
                            source.put(targets[step])
                        }
                    }
                    return true
                }
            }
            for await isBalanced in group { #expect(isBalanced) }
        }
        source.purgeAll()
        #expect(source.records.value == 0)
        #expect(source.files.value == 0)
        #expect(source.charged.value == 0)
    }
}
