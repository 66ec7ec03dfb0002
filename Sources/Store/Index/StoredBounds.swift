package import FoundationEssentials
import Synchronization

/// What values of stored pictures can be. Others come from a damaged file, a bug, or an attacker.
package enum StoredBounds {
    /// Pixels of a side. No decoder takes more.
    package static let sides = 1...10_000_000
    /// Bytes of a picture.
    package static let bytes = 0...(1 << 40)

    /// Returns whether a size can be that of a picture.
    package static func holds(width: Int, height: Int) -> Bool {
        sides.contains(width) && sides.contains(height)
    }

    /// Returns whether the index can store a date.
    package static func holds(_ date: Date) -> Bool {
        IndexRows.dates.contains(date.timeIntervalSince1970)
    }

    /// Returns whether a text has no control characters, and at most that number of bytes.
    package static func holds(_ text: String, most: Int) -> Bool {
        text.utf8.count <= most && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// Rows with impossible values that a lookup has left out, for one report. In force while a lookup runs for a
/// service, which makes again what such rows said.
final class RowFaults: Sendable {
    @TaskLocal static var current: RowFaults?

    private let first = Mutex<StoreError?>(nil)

    var error: StoreError? { first.withLock { $0 } }
    func add(_ error: StoreError) { first.withLock { $0 = $0 ?? error } }
}
