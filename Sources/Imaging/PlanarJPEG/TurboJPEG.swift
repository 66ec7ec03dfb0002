import CPixels
import CTurboJPEG

/// The JPEG library's decoder and encoder. Used by one thread at a time.
final class TurboJPEG {
    /// Nil until a picture needs it. It keeps the tables of a picture for later ones that have none.
    private var decoder: tjhandle?
    private let encoder: tjhandle

    /// The exact transform costs no more than the fast one (measured: 1.26 and 1.28 ms for a poster's
    /// four levels).
    private static let flags = TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT

    init() throws(ImagingError) {
        guard let encoder = tjInitCompress() else { throw Self.failure(nil) }
        self.encoder = encoder
    }

    deinit {
        forget()
        tjDestroy(encoder)
    }

    /// Ends the decoder, with all that it keeps of a picture. `tjDecompressHeader3` leaves it in the middle of a
    /// broken header, from where it would read the next picture.
    func forget() {
        if let decoder { tjDestroy(decoder) }
        decoder = nil
    }

    private static func failure(_ handle: tjhandle?) -> ImagingError {
        let text = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no reason"
        return .misconfigured(reason: "the encoder failed: \(DecoderMessage.oneLine(text))")
    }

    /// Decodes a picture, shrunk to `size`, into planes of its sampling. Returns false at the first error
    /// or warning, and if the picture doesn't have the size `whole` and the sampling.
    func decode(
        _ original: [UInt8], _ whole: PixelSize, _ wanted: ChromaSampling, to size: PixelSize,
        into planes: [pixels_plane]
    ) -> Bool {
        guard let decoder = decoder ?? tjInitDecompress() else { return false }
        self.decoder = decoder
        let isDecoded = original.withUnsafeBufferPointer { bytes in
            var (width, height): (Int32, Int32) = (0, 0)
            var (sampling, colors): (Int32, Int32) = (-1, -1)
            let status = tjDecompressHeader3(
                decoder, bytes.baseAddress, UInt(bytes.count), &width, &height, &sampling,
                &colors)
            let expected = wanted == .gray ? TJCS_GRAY : TJCS_YCbCr
            guard status == 0, sampling == wanted.code, colors == Int32(expected.rawValue),
                width == whole.width, height == whole.height
            else { return false }
            var samples = planes.map { Optional($0.samples) }
            var strides = planes.map { Int32($0.stride) }
            return tjDecompressToYUVPlanes(
                decoder, bytes.baseAddress, UInt(bytes.count), &samples,
                Int32(size.width), &strides, Int32(size.height),
                TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS) == 0
        }
        if !isDecoded { forget() }
        return isDecoded
    }

    /// Returns the bytes of a baseline JPEG without metadata.
    ///
    /// - Parameter planes: of a picture of that size. Brightness goes as far as its color samples do.
    func encode(
        _ planes: [pixels_plane], _ size: PixelSize, _ sampling: ChromaSampling, quality: Int,
        in memory: RenderMemory
    ) throws(ImagingError) -> [UInt8] {
        var samples = planes.map { Optional(UnsafePointer($0.samples)) }
        let strides = planes.map { Int32($0.stride) }
        return try encoded(size, sampling, memory) { bytes, count in
            tjCompressFromYUVPlanes(
                encoder, &samples, Int32(size.width), strides, Int32(size.height),
                sampling.code, &bytes, &count, Int32(quality), Self.flags)
        }
    }

    /// Returns the bytes of a baseline JPEG at 4:2:0, or gray, without metadata. The pixels have 1 or 3
    /// bands.
    func encode(
        _ pixels: PixelBuffer, quality: Int, in memory: RenderMemory
    ) throws(ImagingError) -> [UInt8] {
        let sampling = pixels.bands == 1 ? ChromaSampling.gray : .both
        let format = pixels.bands == 1 ? TJPF_GRAY : TJPF_RGB
        return try encoded(pixels.size, sampling, memory) { bytes, count in
            tjCompress2(
                encoder, pixels.bytes, Int32(pixels.width), Int32(pixels.stride),
                Int32(pixels.height), Int32(format.rawValue), &bytes, &count, sampling.code,
                Int32(quality), Self.flags)
        }
    }

    private func encoded(
        _ size: PixelSize, _ sampling: ChromaSampling, _ memory: RenderMemory,
        _ compress: (inout UnsafeMutablePointer<UInt8>?, inout UInt) -> Int32
    ) throws(ImagingError) -> [UInt8] {
        let most = tjBufSize(Int32(size.width), Int32(size.height), sampling.code)
        guard most != .max else { throw Self.failure(encoder) }
        let block = memory.take(Int(most))
        defer { memory.giveBack(block) }
        var bytes: UnsafeMutablePointer<UInt8>? = block.bytes
        var count = UInt(block.count)
        guard compress(&bytes, &count) == 0 else { throw Self.failure(encoder) }
        return Array(UnsafeBufferPointer(start: block.bytes, count: Int(count)))
    }
}
