/// Which pictures one child process may render: a picture that takes a child over reaches no picture
/// of another group.
package struct IsolationGroup: Hashable, Sendable {
    private let name: String
    /// Whether its children render one picture each.
    let isAlone: Bool

    private init(_ name: String, isAlone: Bool = false) {
        self.name = name
        self.isAlone = isAlone
    }

    /// Files of this machine, and what is drawn here.
    package static let local = IsolationGroup("local")

    /// A child for this picture only, started for it and ended after it: for a picture that may have
    /// brought a process down before.
    package static let alone = IsolationGroup("alone", isAlone: true)

    /// Returns the group of a source's pictures.
    ///
    /// - Parameter host: sets the pictures of one host apart, where a source's hosts don't trust each
    ///   other.
    package static func source(_ name: String, host: String? = nil) -> IsolationGroup {
        IsolationGroup(host.map { "source \(name) \($0)" } ?? "source \(name)")
    }
}
