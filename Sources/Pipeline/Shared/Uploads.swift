import Catalog
import FoundationEssentials
import Logging
import Objects
import Store
import Synchronization
import Threads

/// Uploads in the background what is marked in the index.
///
/// The marks are written in the transaction that names the pictures, so that a restart loses none.
/// While the shared store is down they wait; the pause between two tries grows. An item that fails
/// alone rests while the others are uploaded (``UploadRests``).
package final class Uploads: Sendable {
    private let store: SharedStore
    private let policy: SharedPolicy
    private let logger: Logger
    /// Waits until no client waits for a miss.
    private let idle: @Sendable () async -> Void
    private let task = BackgroundTask()
    private let rests = Mutex(UploadRests())

    private static let batch = 64
    private static let maxPause: Duration = .seconds(30)
    /// Other processes that use the cache may mark items, too, and items that rest are tried again.
    private static let poll: Duration = .seconds(5)

    init(
        _ store: SharedStore, _ policy: SharedPolicy, logger: Logger,
        idle: @escaping @Sendable () async -> Void
    ) {
        self.store = store
        self.policy = policy
        self.logger = logger
        self.idle = idle
    }

    /// Starts the uploads. Idempotent.
    package func start() { task.start { [self] in await run() } }

    /// Cancels the upload under way. Its mark stays.
    package func stop() async { await task.stop() }

    /// Uploads everything that is marked, for a command that ends then. Stops the uploads in the
    /// background. Returns how many items still wait because the shared store doesn't take them.
    package func finish() async -> Int {
        await stop()
        rests.withLock { $0.wake() }
        var last = Step.more
        while last == .more, !Task.isCancelled { last = await step() }
        return last == .done ? 0 : store.waiting.status.count
    }

    private func run() async {
        let (bells, bell) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        store.waiting.ring(bell)
        bell.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await Task.sleep(for: Self.poll)) != nil { bell.yield() }
            }
            for await _ in bells { await drain() }
            group.cancelAll()
        }
        store.waiting.ring(nil)
    }

    /// Uploads until nothing is marked that can be tried now.
    private func drain() async {
        var pause: Duration = .seconds(1)
        while !Task.isCancelled {
            switch await step() {
            case .done, .resting: return
            case .more: pause = .seconds(1)
            case .down:
                // Canceled by ``stop()``.
                guard (try? await Task.sleep(for: pause)) != nil else { return }
                pause = min(pause * 2, Self.maxPause)
            }
        }
    }

    enum Step {
        case done
        case more
        /// Everything that is marked rests after a failure, or is uploaded by another caller.
        case resting
        /// The shared store, or the disk, can't be used now.
        case down
    }

    /// Uploads the items that have waited longest.
    func step() async -> Step {
        do {
            let skipped = rests.withLock(\.count) + store.waiting.ownCount
            let all = try await store.marked(Self.batch + skipped)
            if all.isEmpty { return .done }
            let marks = due(all)
            if marks.isEmpty { return .resting }
            await withTaskGroup(of: Void.self) { group in
                var rest = marks.makeIterator()
                func begin() {
                    guard !isDown, !Task.isCancelled, let mark = rest.next() else { return }
                    group.addTask { await self.upload(mark) }
                }
                for _ in 0..<max(1, policy.uploads) { begin() }
                while await group.next() != nil { begin() }
            }
            return isDown ? .down : .more
        } catch {
            return .down
        }
    }

    /// Returns the marks that can be tried now.
    private func due(_ marks: [UploadMark]) -> [UploadMark] {
        let now = store.now()
        return rests.withLock { rests in
            marks.filter { rests.isDue($0.item, at: now) && !store.waiting.isOwn($0.item) }
        }
    }

    /// Whether the next uploads would fail alike.
    private var isDown: Bool {
        rests.withLock(\.isStoreAtFault) || store.objects.state != .closed
    }

    private func upload(_ mark: UploadMark) async {
        await idle()
        // A caller may upload it itself by now.
        guard !Task.isCancelled, !store.waiting.isOwn(mark.item) else { return }
        do {
            guard let item = Item(mark.item) else { return try await store.forget(mark) }
            let done = try await store.editions.during { try await store.upload(item) }
            rests.withLock { $0.succeeded(mark.item) }
            store.metrics.sharedUpload(done == nil ? "gone" : "stored")
            StateChange.tell()
        } catch is CancellationError {
            return
        } catch ObjectError.canceled {
            return
        } catch {
            // The shared store, the disk, or too much to render: later.
            await failed(mark, error, isLasting: (error as? ObjectError)?.isLasting ?? false)
        }
    }

    private func failed(_ mark: UploadMark, _ error: any Error, isLasting: Bool) async {
        let now = store.now()
        let verdict = rests.withLock { $0.failed(mark.item, isLasting: isLasting, at: now) }
        store.metrics.sharedUpload(verdict == .giveUp ? "abandoned" : "failed")
        StateChange.tell()
        switch verdict {
        case .tryLater: return
        case .isAtFault:
            logger.warning(
                "an item can't be put into the shared store; it is tried again, and the others are uploaded",
                metadata: ["item": "\(mark.item)", "error": "\(error)"])
        case .giveUp:
            logger.warning(
                "an item can't be put into the shared store and is dropped; vitrine reconcile finds it",
                metadata: ["item": "\(mark.item)", "error": "\(error)"])
            do {
                try await store.forget(mark)
            } catch {
                logger.warning(
                    "its mark can't be removed; it is tried again",
                    metadata: ["item": "\(mark.item)", "error": "\(error)"])
            }
        }
    }
}

extension ObjectError {
    /// Whether only this object is concerned.
    fileprivate var isLasting: Bool {
        switch self {
        case .damaged, .tooLarge: true
        case .unavailable, .forbidden, .misconfigured, .canceled: false
        }
    }
}

extension SharedStore {
    var status: SharedStatus {
        let waiting = waiting.status
        return SharedStatus(
            breaker: objects.state.rawValue, waiting: waiting.count, oldest: waiting.oldest)
    }

    /// Returns the marks of the items that have waited longest. Counts them, too.
    func marked(_ limit: Int) async throws -> [UploadMark] {
        let known = try await index.uploadCount()
        waiting.set(known.count, known.oldest)
        return known.count == 0 ? [] : try await index.uploadMarks(limit: limit)
    }
}
