/// A thumbnail to make.
struct RenderPart: Sendable, Equatable {
    var rendition: Rendition
    var encoding: Encoding
    /// One of planes takes libvips' lane after all if the picture has none.
    var lane = Lane.libvips

    var level: Level { rendition.level }
}
