package import FoundationEssentials
import Synchronization

/// A wall clock that stands still until a test moves it.
package final class ManualClock: Sendable {
    private let time: Mutex<Date>

    package init(_ start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        time = Mutex(start)
    }

    package var now: Date { time.withLock { $0 } }

    package func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}
