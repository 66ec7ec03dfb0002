/// A thumbnail to make.
struct RenderPart: Sendable, Equatable {
    var rendition: Rendition
    var encoding: Encoding
    /// One of planes takes libvips' lane after all if the picture has none.
    var lane = Lane.libvips

    var level: Level { rendition.level }
}

extension Lane.Choice {
    /// Returns the lane of a thumbnail if its original's planes can be had. It doesn't depend on what
    /// else is wanted, so that equal settings give equal bytes.
    func lane(_ level: Level, _ encoding: Encoding) -> Lane {
        self == .auto && level.fitsPlanes && encoding.takesPlanes ? .planar : .libvips
    }
}
