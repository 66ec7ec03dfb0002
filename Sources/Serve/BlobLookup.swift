import HitServer
import Memory
import Synchronization

/// A look-up that a connection waits for.
final class BlobLookup: HitRead {
    struct Key: Hashable {
        var name: Fingerprint
        var needsBody: Bool
    }

    let key: Key
    private let hits: BlobHits
    private let target: BlobTarget
    private let outcome = Mutex<BlobHit?>(nil)

    init(_ hits: BlobHits, _ target: BlobTarget, _ key: Key) {
        self.hits = hits
        self.target = target
        self.key = key
    }

    /// Once it has ended; nil if only the general server can answer.
    var hit: BlobHit? { outcome.withLock { $0 } }

    func start(_ onEnd: @escaping @Sendable () -> Void) {
        hits.start(target, key) { [self] hit in
            outcome.withLock { $0 = hit }
            onEnd()
        }
    }
}
