/// Small values that all nodes see.
///
/// Keys have letters, digits, `-`, `_`, `.` and `/`.
package protocol SharedValues: Sendable {
    /// Returns nil without such a value.
    func value(_ key: String) async throws(QueueError) -> SharedValue?

    /// Writes a value, whatever was there. Returns its revision.
    @discardableResult
    func set(_ key: String, _ bytes: [UInt8]) async throws(QueueError) -> UInt64

    /// Writes a value if the stored one has that revision, or is missing if `revision` is nil.
    /// Returns its new revision, or nil if another node was first.
    func exchange(
        _ key: String, _ bytes: [UInt8], for revision: UInt64?
    ) async throws(QueueError) -> UInt64?

    func remove(_ key: String) async throws(QueueError)

    /// Returns all values whose keys begin with the prefix.
    func all(_ prefix: String) async throws(QueueError) -> [String: SharedValue]
}

package struct SharedValue: Sendable, Equatable {
    package var bytes: [UInt8]
    package var revision: UInt64

    package init(bytes: [UInt8], revision: UInt64) {
        self.bytes = bytes
        self.revision = revision
    }
}

/// Events in one order, for all nodes to read. Old ones are dropped after
/// ``QueuePolicy/retention``.
package protocol EventLog: Sendable {
    /// Returns the number of the event: 1 for the first, and one more for each further one.
    func append(_ bytes: [UInt8]) async throws(QueueError) -> UInt64

    /// Returns the state of the log.
    func extent() async throws(QueueError) -> EventExtent

    /// Returns the event with that number; nil if it was dropped.
    func event(_ number: UInt64) async throws(QueueError) -> [UInt8]?
}

package struct EventExtent: Sendable, Equatable {
    /// Changes if the log was deleted and made again.
    package var identity: String
    /// The oldest event that is kept. One more than ``last`` if none is.
    package var first: UInt64
    /// The newest event; 0 if there never was one.
    package var last: UInt64
}
