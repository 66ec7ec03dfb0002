import Synchronization

/// The streams of clients that listen to the same thing. Any thread.
final class Listeners<Element: Sendable>: Sendable {
    typealias Stream = AsyncStream<Element>.Continuation

    private struct State {
        var streams: [UInt64: Stream] = [:]
        var last: UInt64 = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Returns the number by which to remove it. A stream that is added after ``end()`` ends at once.
    func add(_ stream: Stream) -> UInt64 {
        let (number, isOver) = state.withLock { state in
            state.last += 1
            if !state.isOver { state.streams[state.last] = stream }
            return (state.last, state.isOver)
        }
        if isOver { stream.finish() }
        return number
    }

    func remove(_ number: UInt64) { state.withLock { _ = $0.streams.removeValue(forKey: number) } }

    func send(_ element: Element) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(element) }
    }

    /// Ends all streams, so that their connections can close.
    func end() {
        let streams = state.withLock { state in
            state.isOver = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}
