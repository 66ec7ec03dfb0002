/// The pictures that one child process may render. A picture that takes over a child can't reach
/// pictures of other groups.
package struct IsolationGroup: Hashable, Sendable {
    private let name: String
    /// Whether each of its children renders one picture only.
    var isAlone: Bool { self == .alone }

    private init(_ name: String) { self.name = name }

    /// Files of this machine.
    package static let local = IsolationGroup("local")

    /// A child for one picture, started for it and ended after it: for a picture that may have
    /// brought down a process before.
    package static let alone = IsolationGroup("alone")

    /// Returns the group of a source's pictures.
    ///
    /// - Parameter host: separates the pictures of one host, for a source whose hosts don't trust each
    ///   other.
    package static func source(_ name: String, host: String? = nil) -> IsolationGroup {
        IsolationGroup(host.map { "source \(name) \($0)" } ?? "source \(name)")
    }
}
