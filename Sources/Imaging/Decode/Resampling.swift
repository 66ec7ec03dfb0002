import CPixels

/// Resamples rows, as they are decoded, to each of several sizes.
final class Resampling {
    let results: [PixelBuffer]
    private var resamplers: [OpaquePointer] = []

    /// - Parameter spanX: the part of the width that the picture covers, see `pixels_resampler_new`.
    init(
        _ size: PixelSize, bands: Int, spanX: Double, spanY: Double, to sizes: [PixelSize]
    ) throws(ImagingError) {
        var results: [PixelBuffer] = []
        for wanted in sizes {
            results.append(
                try PixelBuffer(width: wanted.width, height: wanted.height, bands: bands))
        }
        self.results = results
        for result in results {
            let resampler = pixels_resampler_new(
                Int32(size.width), Int32(size.height), Int32(bands), spanX, spanY, result.bytes,
                Int32(result.width), Int32(result.height))
            guard let resampler else { throw PixelBuffer.noMemory(size.width, size.height) }
            resamplers.append(resampler)
        }
    }

    deinit {
        for resampler in resamplers { pixels_resampler_free(resampler) }
    }

    /// Copies the rows it needs. The rows of all calls together are exactly the height.
    func push(_ rows: UnsafePointer<UInt8>, _ stride: Int, _ count: Int) {
        for resampler in resamplers {
            pixels_resampler_push(resampler, rows, stride, Int32(count))
        }
    }
}
