import Catalog
import Imaging
import Store
import Synchronization

/// Notices when the cache evicts what a run has made, whichever process does it. Any thread.
final class WarmWatch: Sendable {
    /// Pictures that are looked at again; of a longer run the first, which go first.
    static let most = 100_000
    /// Looks for each new picture while eviction may be under way.
    private static let looks = 8
    /// Looks at the end, in case another process has evicted by lower limits.
    private static let lastLooks = 64

    private struct State {
        var made: [Item] = []
        var next = 0
        var isEvicting = false
    }

    private let pictures: Pictures
    private let renditions: Set<Rendition>
    private let disk: @Sendable () -> UpkeepStatus
    private let state = Mutex(State())

    init(
        _ pictures: Pictures, _ renditions: Set<Rendition>,
        disk: @escaping @Sendable () -> UpkeepStatus
    ) {
        self.pictures = pictures
        self.renditions = renditions
        self.disk = disk
    }

    /// Whether a picture of the run was evicted.
    var isEvicting: Bool { state.withLock { $0.isEvicting } }

    /// Adds an item whose picture is stored, and looks at some others while the cache is nearly full.
    func add(_ item: Item) async throws(Failure) {
        let count = state.withLock { state in
            if state.made.count < Self.most { state.made.append(item) }
            return state.isEvicting ? 0 : state.made.count
        }
        guard count > 0, disk().isNearlyFull else { return }
        try await look(min(count, Self.looks))
    }

    /// Returns how many pictures of the run are gone, of the first ``most``.
    func evicted() async throws(Failure) -> Int {
        let made = state.withLock { $0.made }
        if !isEvicting { try await look(min(made.count, Self.lastLooks)) }
        guard isEvicting else { return 0 }
        var count = 0
        for item in made where try await isGone(item) { count += 1 }
        return count
    }

    private func look(_ count: Int) async throws(Failure) {
        for _ in 0..<count {
            let item = state.withLock { state in
                state.next = (state.next + 1) % state.made.count
                return state.made[state.next]
            }
            guard try await isGone(item) else { continue }
            return state.withLock { $0.isEvicting = true }
        }
    }

    private func isGone(_ item: Item) async throws(Failure) -> Bool {
        guard try await pictures.need(item, renditions).need.state == .missing else { return false }
        // A picture that was answered may be on its way to the disk.
        let kept = await pictures.pictured(item)
        await pictures.settled { $0 == kept }
        return try await pictures.need(item, renditions).need.state == .missing
    }
}

extension UpkeepStatus {
    /// Whether blobs may be evicted now, in this process or in another one with similar limits.
    fileprivate var isNearlyFull: Bool {
        free.bytes < limits.bytes / 4 || free.files < limits.files / 8
    }
}
