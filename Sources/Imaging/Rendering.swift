/// One wanted result.
package struct Rendition: Sendable, Hashable {
    package var level: Level
    package var format: ThumbnailFormat

    package init(level: Level, format: ThumbnailFormat) {
        self.level = level
        self.format = format
    }
}

/// The encoded result of one level.
package struct Thumbnail: Sendable {
    package var rendition: Rendition
    package var width: Int
    package var height: Int
    package var bytes: [UInt8]

    package init(rendition: Rendition, width: Int, height: Int, bytes: [UInt8]) {
        self.rendition = rendition
        self.width = width
        self.height = height
        self.bytes = bytes
    }
}

/// All that one decode gave.
package struct Rendering: Sendable {
    /// As decoding found it: `hasAlpha` only where some pixel is transparent.
    package var info: ImageInfo
    /// In the order of the request.
    package var thumbnails: [Thumbnail]
    package var summary: PictureSummary
    /// Waiting for a render thread.
    package var queued: Duration
    /// On the render thread: decode, resample, encode.
    package var worked: Duration
    /// Where it waited and ran.
    package var lane = RenderLane.quick

    package init(
        info: ImageInfo, thumbnails: [Thumbnail], summary: PictureSummary, queued: Duration,
        worked: Duration
    ) {
        self.info = info
        self.thumbnails = thumbnails
        self.summary = summary
        self.queued = queued
        self.worked = worked
    }
}
