import Synchronization

/// Bounds the looks that are under way: each request for another format may want one.
final class OtherAVIFLooks: Sendable {
    private static let most = 16

    private let underway = Mutex(0)

    func begin() -> Bool {
        underway.withLock { underway in
            guard underway < Self.most else { return false }
            underway += 1
            return true
        }
    }

    func end() { underway.withLock { $0 -= 1 } }
}
