#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Many thumbnails in one picture; runs on a render thread. Decodes one at a time, so that the memory
/// is that of the sheet.
struct ContactSheet: Sendable {
    /// Encoded, in the order of the cells.
    let thumbnails: [[UInt8]]
    let layout: SheetLayout
    let background: RGB
    let decoder: Decoder

    func drawn() throws(ImagingError) -> PixelBuffer {
        let canvas = try Canvas(width: layout.width, height: layout.height, fill: background)
        for (index, bytes) in thumbnails.enumerated() {
            guard let format = ImageFormat.sniff(bytes) else {
                throw .notAnImage(looksLike: LooksLike.name(bytes))
            }
            let header = try Header.read(bytes, format)
            let picture = try decoder.decode(bytes, header) { $0 }.pixels
            draw(
                try picture.flattened(on: background), on: canvas.buffer,
                layout.frame(index, width: picture.width, height: picture.height))
        }
        return canvas.buffer
    }

    /// Copies what lies within the sheet.
    private func draw(_ picture: PixelBuffer, on sheet: PixelBuffer, _ frame: SheetLayout.Frame) {
        let (left, right) = (max(0, frame.x), min(sheet.width, frame.x + frame.width))
        guard left < right else { return }
        for y in max(0, frame.y)..<max(0, min(sheet.height, frame.y + frame.height)) {
            let from =
                picture.bytes + (y - frame.y) * picture.stride + (left - frame.x) * picture.bands
            let to = sheet.bytes + y * sheet.stride + left * 3
            if picture.bands == 3 {
                memcpy(to, from, (right - left) * 3)
            } else {
                for x in 0..<right - left {
                    for band in 0..<3 { to[x * 3 + band] = from[x] }
                }
            }
        }
    }
}
