package import Imaging

/// What warm runs make unless they are told otherwise, and which lists a service keeps warm.
package struct WarmPolicy: Sendable, Equatable {
    package var formats = ThumbnailFormat.standard
    /// Names of levels; empty for all.
    package var levels: [String] = []
    package var jobs: [WarmSchedule.Job] = []
    /// Made of stored originals when a service has nothing else to do.
    package var idleFormats: [ThumbnailFormat] = []

    package init() {}

    /// The thumbnails of an item by default.
    package func renditions(of configured: [Level]) -> Set<Rendition> {
        let chosen = levels.isEmpty ? configured : configured.filter { levels.contains($0.name) }
        return Set(chosen.flatMap { level in formats.map { Rendition(level: level, format: $0) } })
    }
}
