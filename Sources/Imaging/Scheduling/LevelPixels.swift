/// The pixels of one level: of the general lane, or planes.
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

extension PixelBuffer: LevelPixels {
    func resampled(to size: PixelSize) throws(ImagingError) -> PixelBuffer {
        try resampled(width: size.width, height: size.height)
    }

    func framed(_ framing: Framing) throws(ImagingError) -> PixelBuffer {
        switch framing.cut {
        case .none: return self
        case .crop(let size, let gravity):
            let (left, top) =
                gravity.isSmart
                ? try smartCorner(of: size, gravity)
                : Framing.corner(of: size, in: self.size, gravity)
            return try cropped(left: left, top: top, to: size)
        case .ground(let size): return try onGround(size)
        }
    }

    func prepareForEncoding() {}

    func encoded(
        as encoding: Encoding, in workspace: RenderWorkspace
    ) throws(ImagingError) -> [UInt8] {
        try encoding.encode(self, in: workspace)
    }

    func pixels() -> PixelBuffer { self }
}
