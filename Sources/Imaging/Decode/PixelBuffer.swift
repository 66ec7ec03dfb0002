#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Decoded pixels between decoder, resampler and encoder: 8 bit, interleaved, rows without gaps.
///
/// 1 band is gray, 3 are sRGB, 4 sRGB with straight alpha. Owned by one thread at a time.
final class PixelBuffer {
    let width: Int
    let height: Int
    let bands: Int
    /// `width × height × bands` bytes, aligned to a cache line, uninitialized at first.
    let bytes: UnsafeMutablePointer<UInt8>

    var size: PixelSize { PixelSize(width: width, height: height) }
    var stride: Int { width * bands }
    var count: Int { stride * height }

    init(width: Int, height: Int, bands: Int) throws(ImagingError) {
        precondition(width > 0 && height > 0 && bands > 0)
        self.width = width
        self.height = height
        self.bands = bands
        // One cache line more, because a kernel may read a whole vector at the last pixel.
        let size = Int.clampedProduct(.clampedProduct(width, height), bands)
        guard size < .max - 127, let memory = aligned_alloc(64, (size + 127) / 64 * 64) else {
            throw Self.noMemory(width, height)
        }
        bytes = memory.bindMemory(to: UInt8.self, capacity: size)
    }

    deinit { free(bytes) }

    static func noMemory(_ width: Int, _ height: Int) -> ImagingError {
        .misconfigured(reason: "\(ImagingError.noMemory) for \(width)×\(height) pixels")
    }
}
