import Catalog
import Fleet
import Pipeline
import Synchronization
import TestSupport

/// A shared store that does what a test says.
final class PlayedStore: FleetStore {
    enum Play: Sendable {
        case works
        case fails(Failure)
        /// The store itself.
        case isDown
        /// Waits until the gate opens.
        case waits(Gate)
        /// Says that it is stored, and loses it.
        case isLost
    }

    let recipe = "recipe"
    private let plays: Mutex<[String: Play]>
    private let stored = Mutex<Set<String>>([])
    private let asked = Mutex<[String: Int]>([:])

    init(_ plays: [String: Play] = [:]) { self.plays = Mutex(plays) }

    func play(_ item: String, _ play: Play) { plays.withLock { $0[item] = play } }

    func all(_ play: Play) { plays.withLock { $0 = ["": play] } }

    /// How often each item was made.
    var counts: [String: Int] { asked.withLock { $0 } }
    var names: Set<String> { stored.withLock { $0 } }

    func learn(_ descriptions: [ItemDescription]) async throws(Failure) {}

    func publish(_ item: Item, again: Bool) async throws(Failure) -> PublishedItem {
        let name = "\(item)"
        asked.withLock { $0[name, default: 0] += 1 }
        stateChanged()
        if names.contains(name) { return PublishedItem(.picture, isKnown: true) }
        let play = plays.withLock { $0[name] ?? $0[""] ?? .works }
        switch play {
        case .works: break
        case .isLost: return PublishedItem(.picture)
        case .fails(let failure):
            return PublishedItem(failure.isLasting ? .noPicture(failure) : .unavailable(failure))
        case .isDown: throw Failure(.storeUnusable, "The shared store is down.", retryAfter: 1)
        case .waits(let gate):
            await gate.wait()
            if Task.isCancelled { throw Failure(.canceled, "The task was canceled.") }
        }
        stored.withLock { _ = $0.insert(name) }
        stateChanged()
        return PublishedItem(.picture)
    }

    func check(
        _ items: [Item], concurrency: Int
    ) async throws(Failure) -> [Item: SharedItem] {
        let names = names
        return Dictionary(
            uniqueKeysWithValues: items.map {
                ($0, SharedItem(names.contains("\($0)") ? .stored : .missing))
            })
    }
}
