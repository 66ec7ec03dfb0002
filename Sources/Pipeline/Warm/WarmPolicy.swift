package import Imaging

/// What warm runs make unless they are told otherwise, and which lists a service keeps warm.
package struct WarmPolicy: Sendable, Equatable {
    package var formats = ThumbnailFormat.standard
    /// Names of levels; empty for all.
    package var levels: [String] = []
    package var jobs: [WarmSchedule.Job] = []

    package init() {}

    /// The thumbnails of an item by default.
    ///
    /// - Parameter formats: in place of the usual ones; empty for those.
    package func renditions(
        of configured: [Level], in formats: [ThumbnailFormat] = []
    ) -> Set<Rendition> {
        let chosen = levels.isEmpty ? configured : configured.filter { levels.contains($0.name) }
        let formats = formats.isEmpty ? self.formats : formats
        return Set(chosen.flatMap { level in formats.map { Rendition(level: level, format: $0) } })
    }
}
