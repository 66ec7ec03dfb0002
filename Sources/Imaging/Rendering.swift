/// The result of one decode.
package struct Rendering: Sendable {
    /// As decoding found it: `hasAlpha` only if some pixel is transparent.
    package var info: ImageInfo
    /// In the order of the request.
    package var thumbnails: [Thumbnail]
    package var summary: PictureSummary
    /// Time in the queue.
    package var queued: Duration
    /// Time on the render thread: decode, resample, encode.
    package var worked: Duration
    /// The lane it was queued in and ran on.
    package var lane = RenderLane.quick
    /// Whether libvips' version has no part in thumbnails of the planar lane.
    package var isWithoutLibvips = false
    /// What a child has read, if only that was wanted.
    var header: Header?
}

extension Rendering {
    init(_ header: Header) {
        self.init([], of: header.size, header.format)
        self.header = header
    }

    /// Only thumbnails of a picture that is seen in this size; nothing else of it is read.
    init(_ thumbnails: [Thumbnail], of seen: PixelSize, _ format: ImageFormat = .jpeg) {
        self.init(
            info: ImageInfo(
                format: format, width: seen.width, height: seen.height, hasAlpha: false,
                isProgressive: false),
            thumbnails: thumbnails,
            summary: PictureSummary(
                thumbHash: [], color: RGB(red: 0, green: 0, blue: 0), width: seen.width,
                height: seen.height),
            queued: .zero, worked: .zero)
    }
}

/// Small pictures never wait behind large ones: each lane has its own threads and share of memory.
package enum RenderLane: String, Sendable, CaseIterable {
    case quick, slow

    /// Serving goes before quick renders, and those before slow ones.
    var niceness: CInt {
        switch self {
        case .quick: 5
        case .slow: 15
        }
    }
}
