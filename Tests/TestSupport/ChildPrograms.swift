import Foundation

/// Programs that are built with the tests, beside the test bundle.
package enum ChildPrograms {
    /// See `RenderChild`: a renderer in its own process, honest or not.
    package static var renderer: String { path("RenderChild") }

    /// The program itself.
    package static var vitrine: String { path("vitrine") }

    /// The demo's origin.
    package static var vitrineDemo: String { path("vitrine-demo") }

    /// See `StoreCrashChild`: writes to a store until it is killed.
    package static var storeWriter: String { path("StoreCrashChild") }

    /// See `QueueChild`: takes jobs of a queue until it is killed.
    package static var queueWorker: String { path("QueueChild") }

    /// See `Fuzz`: renders many pictures in a process of its own.
    package static var fuzz: String { path("Fuzz") }

    private static func path(_ name: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }
}
