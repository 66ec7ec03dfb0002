/// The pixels of one level: of the general lane, or planes.
protocol LevelPixels: AnyObject {
    var size: PixelSize { get }
    func resampled(to size: PixelSize) throws(ImagingError) -> Self
    /// Makes the pixels ready for ``encoded(as:in:)``, which several threads may call at once then.
    func prepareForEncoding()
    /// Returns the bytes of a file without metadata; equal pixels give equal bytes.
    func encoded(
        as encoding: Encoding, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8]
    /// As RGB, or gray, with or without alpha.
    func pixels() throws(ImagingError) -> PixelBuffer
}

extension PixelBuffer: LevelPixels {
    func resampled(to size: PixelSize) throws(ImagingError) -> PixelBuffer {
        try resampled(width: size.width, height: size.height)
    }

    func prepareForEncoding() {}

    func encoded(
        as encoding: Encoding, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        try encoding.encode(self, in: workspace)
    }

    func pixels() -> PixelBuffer { self }
}
