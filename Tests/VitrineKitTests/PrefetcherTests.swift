import Foundation
import Synchronization
import TestSupport
import Testing
import VitrineKit

/// Loads pictures as slowly as a test wants.
private final class SlowPictures: Sendable {
    private struct State {
        var begun: [String] = []
        var canceled: [String] = []
        var running = 0
        var peak = 0
    }

    private let state = Mutex(State())
    let gate = Gate()

    var begun: [String] { state.withLock(\.begun) }
    var canceled: [String] { state.withLock(\.canceled) }
    var peak: Int { state.withLock(\.peak) }

    func load(_ url: URL) async {
        state.withLock { state in
            state.begun.append(url.lastPathComponent)
            state.running += 1
            state.peak = max(state.peak, state.running)
        }
        stateChanged()
        await gate.wait()
        state.withLock { state in
            state.running -= 1
            if Task.isCancelled { state.canceled.append(url.lastPathComponent) }
        }
        stateChanged()
    }
}

@Suite(.timeLimit(.minutes(1))) struct PrefetcherTests {
    private func urls(_ names: some Sequence<Int>) -> [URL] {
        names.compactMap { URL(string: "http://a.example/\($0)") }
    }

    private func prefetcher(_ pictures: SlowPictures, limit: Int = 200) -> Prefetcher {
        Prefetcher(concurrency: 3, limit: limit) { await pictures.load($0) }
    }

    @Test func `a few pictures of the window are loaded at once, the first ones first`()
        async throws
    {
        let pictures = SlowPictures()
        let prefetcher = prefetcher(pictures)
        await prefetcher.show(urls(0..<10))
        await eventually { pictures.begun.count == 3 }
        #expect(Set(pictures.begun) == ["0", "1", "2"])
        pictures.gate.open()
        await prefetcher.finished()
        #expect(Set(pictures.begun) == Set((0..<10).map { "\($0)" }))
        #expect(pictures.begun.count == 10 && pictures.peak == 3)
    }

    @Test func `what leaves the window is canceled, and what was loaded is not loaded again`()
        async throws
    {
        let pictures = SlowPictures()
        let prefetcher = prefetcher(pictures)
        await prefetcher.show(urls(0..<5))
        await eventually { pictures.begun.count == 3 }
        await prefetcher.show(urls(2..<7))
        await eventually { pictures.canceled.count == 2 }
        #expect(Set(pictures.canceled) == ["0", "1"])
        pictures.gate.open()
        await prefetcher.finished()
        #expect(Set(pictures.begun) == Set((0..<7).map { "\($0)" }))
        let count = pictures.begun.count
        await prefetcher.show(urls(2..<7))
        await prefetcher.finished()
        #expect(pictures.begun.count == count)
    }

    @Test func `a window is bounded, and a URL that it names twice is loaded once`() async throws {
        let pictures = SlowPictures()
        pictures.gate.open()
        let prefetcher = prefetcher(pictures, limit: 4)
        await prefetcher.show(urls([0, 0, 1, 1, 2, 3, 4]))
        await prefetcher.finished()
        #expect(pictures.begun.sorted() == ["0", "1", "2", "3"])
    }

    @Test func `canceling ends everything`() async throws {
        let pictures = SlowPictures()
        let prefetcher = prefetcher(pictures)
        await prefetcher.show(urls(0..<9))
        await eventually { pictures.begun.count == 3 }
        await prefetcher.cancel()
        await eventually { pictures.canceled.count == 3 }
        await prefetcher.finished()
        #expect(pictures.begun.count == 3)
    }
}
