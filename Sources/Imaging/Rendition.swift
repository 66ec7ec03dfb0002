/// A level and format to render.
package struct Rendition: Sendable, Hashable {
    package var level: Level
    package var format: ThumbnailFormat

    package init(level: Level, format: ThumbnailFormat) {
        self.level = level
        self.format = format
    }
}
