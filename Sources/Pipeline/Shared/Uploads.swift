import Catalog
import FoundationEssentials
import Logging
import Memory
import Objects
import Store
import Synchronization

/// Uploads in the background what is marked in the index.
///
/// The marks are written in the transaction that names the pictures, so that a restart loses none.
/// While the shared store is down they wait; the pause between two tries grows.
package final class Uploads: Sendable {
    private let store: SharedStore
    private let policy: SharedPolicy
    private let logger: Logger
    /// Waits until no client waits for a miss.
    private let idle: @Sendable () async -> Void
    private let running = Mutex<Task<Void, Never>?>(nil)

    private static let batch = 64
    private static let maxPause: Duration = .seconds(30)
    /// Other processes that use the cache may mark items, too.
    private static let poll: Duration = .seconds(30)

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
    package func start() {
        running.withLock { running in
            guard running == nil else { return }
            // Unstructured, because no caller waits for it.
            running = Task { [self] in await run() }
        }
    }

    /// Cancels the upload under way. Its mark stays.
    package func stop() async {
        let task = running.withLock { running in
            defer { running = nil }
            return running
        }
        task?.cancel()
        await task?.value
    }

    /// Uploads everything that is marked, for a command that ends then. Stops the uploads in the
    /// background. Returns how many items still wait because the shared store is down.
    package func finish() async -> Int {
        await stop()
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

    /// Uploads until nothing is marked.
    private func drain() async {
        var pause: Duration = .seconds(1)
        while !Task.isCancelled {
            switch await step() {
            case .done: return
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
        /// The shared store, or the disk, can't be used now.
        case down
    }

    /// Uploads the items that have waited longest.
    func step() async -> Step {
        do {
            let marks = try await store.marked(Self.batch)
            if marks.isEmpty { return .done }
            return await withTaskGroup(of: Bool.self) { group in
                var rest = marks.makeIterator()
                var isUp = true
                func begin() {
                    guard isUp, !Task.isCancelled, let mark = rest.next() else { return }
                    group.addTask { await self.upload(mark) }
                }
                for _ in 0..<max(1, policy.uploads) { begin() }
                while let isDone = await group.next() {
                    if !isDone { isUp = false }
                    begin()
                }
                return isUp ? .more : .down
            }
        } catch {
            return .down
        }
    }

    /// Returns false if the next uploads would fail alike.
    private func upload(_ mark: DocumentRecord) async -> Bool {
        await idle()
        guard !Task.isCancelled else { return true }
        do {
            guard let item = SharedStore.item(mark) else {
                try await store.forget(mark)
                return true
            }
            let done = try await store.upload(item)
            store.metrics.sharedUpload(done == nil ? "gone" : "stored")
            StateChange.tell()
            return true
        } catch is CancellationError {
            return true
        } catch let error as ObjectError {
            if case .canceled = error { return true }
            return await failed(mark, error, isLasting: error.isLasting)
        } catch {
            // The disk, or too much to render: later.
            return await failed(mark, error, isLasting: false)
        }
    }

    private func failed(
        _ mark: DocumentRecord, _ error: any Error, isLasting: Bool
    ) async -> Bool {
        store.metrics.sharedUpload("failed")
        StateChange.tell()
        guard isLasting else { return false }
        // The mark would hold up all others for ever.
        logger.warning(
            "an item can't be put into the shared store",
            metadata: [
                "item": "\(mark.key.dropFirst(SharedStore.marks.count))", "error": "\(error)",
            ])
        do {
            try await store.forget(mark)
            return true
        } catch {
            return false
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
    func marked(_ limit: Int) async throws -> [DocumentRecord] {
        let known = try await thumbnails.index.documentCount(prefix: Self.marks)
        waiting.set(known.count, known.oldest)
        return known.count == 0
            ? [] : try await thumbnails.index.documents(prefix: Self.marks, limit: limit)
    }
}
