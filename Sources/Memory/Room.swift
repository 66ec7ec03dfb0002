import Synchronization

/// A bounded number of bytes or open files that any number of threads take and give back. Never waits.
package final class Room: Sendable {
    /// What was taken, until the last reference is gone.
    package final class Hold: Sendable {
        private let room: Room
        private let count: Int
        /// Whose it is; nil if it is the room's own.
        private let lender: Lender?

        fileprivate init(_ room: Room, _ count: Int, _ lender: Lender? = nil) {
            self.room = room
            self.count = count
            self.lender = lender
        }

        deinit {
            defer { StateChange.tell() }
            guard let lender else {
                room.count.subtract(count, ordering: .relaxed)
                return
            }
            room.borrowed.subtract(count, ordering: .relaxed)
            lender.give()
        }
    }

    /// Another bound, which lends what it has free, one at a time.
    package struct Lender: Sendable {
        fileprivate let take: @Sendable () -> Bool
        fileprivate let give: @Sendable () -> Void

        /// - Parameters:
        ///   - take: returns whether it lends one.
        ///   - give: takes one back.
        package init(
            take: @escaping @Sendable () -> Bool, give: @escaping @Sendable () -> Void
        ) {
            (self.take, self.give) = (take, give)
        }
    }

    package let limit: Int
    private let count = Atomic(0)
    private let borrowed = Atomic(0)
    private let lender = Mutex<Lender?>(nil)

    package init(limit: Int) { self.limit = limit }

    /// What is taken, with what is borrowed.
    package var taken: Int {
        count.load(ordering: .relaxed) + borrowed.load(ordering: .relaxed)
    }

    /// Takes one at a time from another bound once the limit is reached.
    package func borrow(from lender: Lender) { self.lender.withLock { $0 = lender } }

    /// Returns nil if the limit would be exceeded, and nothing is lent.
    package func take(_ count: Int) -> Hold? {
        if self.count.add(count, ordering: .relaxed).newValue <= limit { return Hold(self, count) }
        self.count.subtract(count, ordering: .relaxed)
        guard count == 1, let lender = lender.withLock({ $0 }), lender.take() else { return nil }
        borrowed.add(1, ordering: .relaxed)
        return Hold(self, 1, lender)
    }
}
