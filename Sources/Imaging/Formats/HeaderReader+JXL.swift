extension HeaderReader {
    /// Reads the header of a JPEG XL by its library. Call it in a child.
    static func jxl(_ original: [UInt8]) throws(ImagingError) -> Header {
        try original.withUnsafeBufferPointer { (bytes) throws(ImagingError) in
            let picture = try opened(bytes)
            var header = Header(format: .jxl, width: picture.width, height: picture.height)
            header.depth = picture.isBytes ? 8 : picture.isLinear ? 32 : 16
            header.hasAlpha = picture.bands > (picture.isGray ? 1 : 3)
            return header
        }
    }

    private static func opened(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(ImagingError) -> VipsPicture {
        // Earlier messages of libvips would be taken for this picture's.
        Vips.forgetErrors()
        do throws(ImagingError) {
            return try VipsPicture.open(bytes, .jxl)
        } catch .broken, .unsupported {
            throw .broken(reason: "the JPEG XL ends or goes wrong within its header")
        }
    }
}
