import Logging
import Pipeline
import Synchronization

/// What was purged and waits until one cache in front has been told. A purge never waits for it.
///
/// The queue is bounded and loses nothing: with too many names it asks to purge everything.
final class PurgeQueue: Sendable {
    /// Why a call has failed.
    enum CallError: Error, Equatable {
        /// The next try may succeed.
        case failed(String)
        /// The cache understood the call and won't do it.
        case refused(String)

        var reason: String {
            switch self {
            case .failed(let reason), .refused(let reason): reason
            }
        }
    }

    typealias Call = @Sendable (_ tags: [String], _ soft: Bool) async throws(CallError) -> Void

    struct Limits: Sendable {
        /// Calls with the same names, including the first: with their pauses four minutes, in which a cache
        /// restarts.
        var attempts = 10
        /// Names in one call. Caches limit them, some to 30.
        var batch = 30
        /// Names that wait. If there are more, everything is purged, which is one name.
        var most = 1_000
        /// Before the first call. Meanwhile other processes notice the purge, which would answer the
        /// cache with what is purged, and further purges join the call.
        var delay = Duration.seconds(2)
        /// Between two attempts, doubled each time.
        var pause = Duration.seconds(1)
        var longestPause = Duration.seconds(60)
    }

    private struct State {
        var hard: [String] = []
        var soft: [String] = []
        /// Calls until nothing waits.
        var task: Task<Void, Never>?
        var sleep: Task<Void, any Error>?
        var isClosing = false
        /// Why names were dropped.
        var failures: [String] = []

        mutating func add(_ tags: [String], soft isSoft: Bool, most: Int) {
            if isSoft { Self.add(tags, to: &soft) } else { Self.add(tags, to: &hard) }
            guard hard.count + soft.count > most else { return }
            let isHard = !hard.isEmpty
            hard = isHard ? [CacheTag.all] : []
            soft = isHard ? [] : [CacheTag.all]
        }

        private static func add(_ tags: [String], to names: inout [String]) {
            let known = Set(names)
            names += tags.filter { !known.contains($0) }
        }

        mutating func take(_ count: Int) -> (tags: [String], soft: Bool)? {
            if !hard.isEmpty {
                let tags = Array(hard.prefix(count))
                hard.removeFirst(tags.count)
                return (tags, false)
            }
            if !soft.isEmpty {
                let tags = Array(soft.prefix(count))
                soft.removeFirst(tags.count)
                return (tags, true)
            }
            task = nil
            return nil
        }
    }

    /// `url` or `command`, for logs and metrics.
    private let name: String
    private let limits: Limits
    private let call: Call
    private let sleep: @Sendable (Duration) async throws -> Void
    private let ended: @Sendable (_ isTold: Bool) -> Void
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - sleep: waits, or ends with an error once its task is canceled.
    ///   - ended: called with the end of each group of names.
    init(
        _ name: String, _ limits: Limits = Limits(), logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        },
        ended: @escaping @Sendable (_ isTold: Bool) -> Void = { _ in }, _ call: @escaping Call
    ) {
        self.name = name
        self.limits = limits
        self.logger = logger
        self.sleep = sleep
        self.ended = ended
        self.call = call
    }

    func add(_ tags: [String], soft: Bool) {
        state.withLock { state in
            state.add(tags, soft: soft, most: limits.most)
            guard state.task == nil else { return }
            // Unstructured, because the purge does not wait for it.
            state.task = Task { [self] in
                await wait(limits.delay)
                while let (tags, soft) = self.state.withLock({ $0.take(limits.batch) }) {
                    await tell(tags, soft: soft)
                }
            }
        }
    }

    /// Waits until nothing waits. Returns why names were dropped since the start.
    func settled() async -> [String] {
        while let task = state.withLock({ $0.task }) { await task.value }
        return state.withLock { $0.failures }
    }

    /// Tries what waits once more and drops what fails.
    func close() async {
        state.withLock { state in
            state.isClosing = true
            state.sleep?.cancel()
        }
        _ = await settled()
    }

    /// Names that wait, without those of the call under way.
    var waiting: Int { state.withLock { $0.hard.count + $0.soft.count } }

    private func tell(_ tags: [String], soft: Bool) async {
        var attempt = 1
        while true {
            do throws(CallError) {
                try await call(tags, soft)
                ended(true)
                return
            } catch {
                var isLast = attempt >= limits.attempts || state.withLock { $0.isClosing }
                if case .refused = error { isLast = true }
                guard !isLast else { return drop(tags, soft: soft, error.reason) }
                if attempt == 1 {
                    logger.warning(
                        "a purge did not reach a cache in front; trying again",
                        metadata: ["by": "\(name)", "reason": "\(error.reason)"])
                }
            }
            await wait(
                min(limits.longestPause, limits.pause * (1 << min(attempt - 1, 16))))
            attempt += 1
        }
    }

    private func drop(_ tags: [String], soft: Bool, _ reason: String) {
        ended(false)
        let rest = state.withLock { state in
            state.failures.append(reason)
            // The others would fail, too, and a closing service doesn't wait for them.
            guard state.isClosing else { return [String]() }
            defer { (state.hard, state.soft) = ([], []) }
            return state.hard + state.soft
        }
        logger.error(
            "a cache in front may show what was purged: the purge did not reach it",
            metadata: [
                "by": "\(name)", "reason": "\(reason)",
                "tags": "\((tags + rest).joined(separator: " "))",
            ])
    }

    private func wait(_ duration: Duration) async {
        let sleeping = state.withLock { state in
            if state.isClosing { return nil as Task<Void, any Error>? }
            let task = Task { [sleep] in try await sleep(duration) }
            state.sleep = task
            return task
        }
        // It ends early when the service closes.
        _ = await sleeping?.result
        state.withLock { $0.sleep = nil }
    }
}
