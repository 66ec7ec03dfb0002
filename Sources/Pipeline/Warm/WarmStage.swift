/// A stage of the items.
package struct WarmStage: Sendable, Equatable, Encodable {
    /// In the order of an item's way.
    package enum Name: String, Sendable, CaseIterable, Encodable {
        case resolve, fetch, render, store
    }

    package var name: Name
    /// Items that wait in it or are worked on.
    package var inside = 0
    package var done = 0

    package init(name: Name, inside: Int = 0, done: Int = 0) {
        self.name = name
        self.inside = inside
        self.done = done
    }
}
