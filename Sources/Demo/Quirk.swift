/// A fault of a picture, as some of the real ones have.
protocol Quirk: Sendable {
    var ending: QuirkEnding? { get }
}

/// What becomes of an item with a quirk. Nil stands for a picture at the first attempt.
package enum QuirkEnding: Sendable { case placeholder, fallback }
