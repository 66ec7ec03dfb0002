/// What an original is, told from its first bytes and never from its name.
package enum ImageFormat: String, Sendable, CaseIterable, Codable {
    case jpeg, png, gif, webp, avif, heic, tiff, svg, bmp, jxl, jp2
}
