public import Foundation

/// Loads pictures before they are shown: those of a window of items, a few at once.
///
/// Call ``show(_:)`` whenever the window moves. What is outside is canceled. Loaded pictures are in the cache of
/// the `URLSession`, where `AsyncImage` and others find them.
public actor Prefetcher {
    private let load: @Sendable (URL) async throws -> Void
    private let concurrency: Int
    private let limit: Int
    private var waiting: [URL] = []
    private var running: [URL: Task<Void, Never>] = [:]
    /// Of the window. Failures are not tried again while they are in it.
    private var ended: Set<URL> = []
    private var idle: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - concurrency: pictures that are loaded at once.
    ///   - limit: of a window; further URLs are ignored.
    ///   - load: loads one picture; canceled when it leaves the window.
    public init(
        concurrency: Int = 4, limit: Int = 200,
        _ load: @escaping @Sendable (URL) async throws -> Void
    ) {
        self.concurrency = max(1, concurrency)
        self.limit = max(1, limit)
        self.load = load
    }

    /// Loads with a client, whose session keeps what it gets.
    public init(_ client: VitrineClient, concurrency: Int = 4, limit: Int = 200) {
        self.init(concurrency: concurrency, limit: limit) { url in
            _ = try await client.picture(url)
        }
    }

    /// Loads the pictures of a window, the first ones first.
    public func show(_ window: [URL]) {
        var seen: Set<URL> = []
        let window = window.filter { seen.count < limit && seen.insert($0).inserted }
        for (url, task) in running where !seen.contains(url) {
            task.cancel()
            running[url] = nil
        }
        ended.formIntersection(seen)
        waiting = window.filter { running[$0] == nil && !ended.contains($0) }
        startNext()
    }

    /// Cancels everything.
    public func cancel() { show([]) }

    /// Returns once everything in the window was tried.
    public func finished() async {
        if waiting.isEmpty && running.isEmpty { return }
        await withCheckedContinuation { idle.append($0) }
    }

    private func startNext() {
        while running.count < concurrency, !waiting.isEmpty {
            let url = waiting.removeFirst()
            running[url] = Task { [load, weak self] in
                try? await load(url)
                await self?.end(url, isCanceled: Task.isCancelled)
            }
        }
        guard waiting.isEmpty, running.isEmpty else { return }
        for continuation in idle { continuation.resume() }
        idle = []
    }

    private func end(_ url: URL, isCanceled: Bool) {
        // Another task may load it now, if it left the window and came back.
        if isCanceled { return }
        running[url] = nil
        ended.insert(url)
        startNext()
    }
}
