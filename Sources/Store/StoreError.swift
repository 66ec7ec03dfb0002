/// Why the store can't do what was asked. `description` is one sentence for a person.
package enum StoreError: Error, Equatable {
    /// The cache directory can't be made, read or written.
    case unusable(path: String, reason: String)
    /// The tree on disk has a layout that this program doesn't know.
    case unknownLayout(path: String, found: String)
    case diskFull(path: String)
    case inputOutput(path: String, operation: String, code: Int32)
    case index(reason: String)
    case stopped
}
