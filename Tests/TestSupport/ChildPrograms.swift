import Foundation

/// Programs built for tests; they lie beside the test bundle.
package enum ChildPrograms {
    /// See `RenderChild`: a renderer in a process of its own, honest or not.
    package static var renderer: String { path("RenderChild") }

    private static func path(_ name: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }
}
