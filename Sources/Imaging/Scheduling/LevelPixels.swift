/// The pixels of one level in either lane: planes, or a picture of libvips.
protocol LevelPixels: AnyObject {
    var size: PixelSize { get }
    func resampled(to size: PixelSize) throws(ImagingError) -> Self
    /// Returns the level's part of the whole picture, or the picture on its ground; the pixels themselves
    /// if that is all of them.
    func framed(_ framing: Framing) throws(ImagingError) -> Self
    /// Makes the pixels ready for ``encoded(as:in:)``, which several threads may call at once then.
    func prepareForEncoding()
    /// Returns the bytes of a file without metadata; equal pixels give equal bytes.
    func encoded(
        as encoding: Encoding, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8]
    /// As RGB, or gray, with or without alpha.
    func pixels() throws(ImagingError) -> PixelBuffer
}
