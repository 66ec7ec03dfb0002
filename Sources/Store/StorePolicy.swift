import Synchronization

/// What the store does while its disk is full, read-only, damaged or locked by another process.
package struct StorePolicy: Sendable {
    /// Bytes of blobs and rows that stay in memory until the disk takes them. With 0 a failure is
    /// thrown instead, which commands that look after the cache want.
    package var unsavedBytes: Int
    /// Pause before the first attempt to catch up; doubled up to ``maxPause``.
    package var pause: Duration
    package var maxPause: Duration
    /// Receives what an operator should know, each kind at most once a minute. Any thread; must be
    /// quick.
    package var report: @Sendable (StoreEvent) -> Void

    package init(
        unsavedBytes: Int = 0, pause: Duration = .milliseconds(250),
        maxPause: Duration = .seconds(15),
        report: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) {
        self.unsavedBytes = unsavedBytes
        self.pause = pause
        self.maxPause = maxPause
        self.report = report
    }

    /// Whether answers go on without the disk.
    var goesOn: Bool { unsavedBytes > 0 }
    /// Rows are small beside pictures.
    var rowBytes: Int { unsavedBytes / 4 }
    var blobBytes: Int { unsavedBytes - rowBytes }
    /// Seconds that a write waits for another process's write. Where answers go on without the disk,
    /// they must not wait long for it.
    var lockPatience: Double { goesOn ? 1 : Index.writePatience }
}

/// What happened to the store; `description` is for the log.
package enum StoreEvent: Sendable, Equatable {
    /// The disk took a blob or a row not; it and what follows stay in memory.
    case behind(StoreError)
    /// The disk took everything that was in memory.
    case caughtUp
    /// Rows in memory were dropped, because they took more than their share.
    case dropped
    /// A damaged database was moved to this path, and a new one begun.
    case setAside(path: String)
    /// What could be read of a database that was set aside is in the new one.
    case salvaged
    /// Something stored could not be read; it counts as missing.
    case unreadable(StoreError)
    /// A favorite or a search could not be written, and its client was told, or does without.
    case unwritten(StoreError)
}

extension StoreEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .behind(let error):
            "The cache can't be written; answers go on from memory. \(error)"
        case .caughtUp: "The cache can be written again; everything is stored."
        case .dropped:
            "Too much waits to be stored; what waited is dropped and will be made again. "
                + "Free some space, or raise cache.unsaved."
        case .setAside(let path):
            "A database of the cache was damaged. It was moved to \(path), and a new one was begun. "
                + "Check the disk."
        case .salvaged: "What could be read of the damaged database is in the new one."
        case .unwritten(let error): "A favorite or a search could not be stored. \(error)"
        case .unreadable(let error):
            "Something stored can't be read and counts as missing. \(error)"
        }
    }

    fileprivate var kind: Int {
        switch self {
        case .behind: 0
        case .caughtUp: 1
        case .dropped: 2
        case .setAside: 3
        case .unreadable: 4
        case .unwritten: 5
        case .salvaged: 6
        }
    }
}

/// How the store stands.
package struct StoreStatus: Sendable, Equatable {
    /// Writes that the disk did not take, since the start.
    package var failedWrites = 0
    /// Reads that failed and were taken for missing, since the start.
    package var failedReads = 0
    /// Damaged databases set aside since the start.
    package var setAside = 0
    /// Bytes of blobs in memory that wait for the disk.
    package var unsavedBytes = 0
    /// Why the disk takes nothing now.
    package var trouble: StoreError?

    package init() {}

    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.failedWrites += right.failedWrites
        sum.failedReads += right.failedReads
        sum.setAside += right.setAside
        sum.unsavedBytes += right.unsavedBytes
        sum.trouble = left.trouble ?? right.trouble
        return sum
    }
}

/// Counts what goes wrong with one part of the store, and reports it without flooding the log.
final class StoreReporter: Sendable {
    private static let interval = Duration.seconds(60)

    private struct State {
        var status = StoreStatus()
        var last: [Int: ContinuousClock.Instant] = [:]
        /// Whether the operator was told of the trouble, so that its end is worth telling.
        var wasTold = false
    }

    private let report: @Sendable (StoreEvent) -> Void
    private let state = Mutex(State())

    init(_ policy: StorePolicy) { report = policy.report }

    var status: StoreStatus { state.withLock { $0.status } }

    func note(_ event: StoreEvent) {
        let isNews = state.withLock { state in
            switch event {
            case .behind(let error):
                state.status.failedWrites += 1
                state.status.trouble = error
            case .caughtUp:
                state.status.trouble = nil
                defer { state.wasTold = false }
                return state.wasTold
            case .dropped, .salvaged: break
            case .unwritten: state.status.failedWrites += 1
            case .setAside: state.status.setAside += 1
            case .unreadable: state.status.failedReads += 1
            }
            let now = ContinuousClock.now
            if let last = state.last[event.kind], last.duration(to: now) < Self.interval {
                return false
            }
            state.last[event.kind] = now
            if case .behind = event { state.wasTold = true }
            return true
        }
        if isNews { report(event) }
    }
}
