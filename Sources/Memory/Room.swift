import Synchronization

/// A bounded number of bytes or open files that any number of threads take and give back. Never waits.
package final class Room: Sendable {
    /// What was taken, until the last reference is gone.
    package final class Hold: Sendable {
        private let room: Room
        private let count: Int

        fileprivate init(_ room: Room, _ count: Int) {
            self.room = room
            self.count = count
        }

        deinit { room.taken.subtract(count, ordering: .relaxed) }
    }

    package let limit: Int
    private let taken = Atomic(0)

    package init(limit: Int) { self.limit = limit }

    /// Returns nil if the limit would be exceeded.
    package func take(_ count: Int) -> Hold? {
        if taken.add(count, ordering: .relaxed).newValue <= limit { return Hold(self, count) }
        taken.subtract(count, ordering: .relaxed)
        return nil
    }
}
