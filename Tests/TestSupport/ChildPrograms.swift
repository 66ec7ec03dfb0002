import Foundation

/// Programs that are built with the tests, beside the test bundle.
package enum ChildPrograms {
    /// See `Helper`: a renderer, a writer of a store and others, by its first argument.
    package static var helper: String { path("Helper") }

    /// The program itself.
    package static var vitrine: String { path("vitrine") }

    /// The demo's origin.
    package static var vitrineDemo: String { path("vitrine-demo") }

    private static func path(_ name: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }
}
