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

        deinit { room.count.subtract(count, ordering: .relaxed) }
    }

    package let limit: Int
    private let count = Atomic(0)

    package init(limit: Int) { self.limit = limit }

    package var taken: Int { count.load(ordering: .relaxed) }

    /// Returns nil if the limit would be exceeded.
    package func take(_ count: Int) -> Hold? {
        if self.count.add(count, ordering: .relaxed).newValue <= limit { return Hold(self, count) }
        self.count.subtract(count, ordering: .relaxed)
        return nil
    }
}
