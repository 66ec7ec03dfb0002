import CLCMS
import CTurboJPEG
import CVips
import CWebP

extension Renderer {
    /// The libraries that decode and encode, with the versions that they report. Opens libvips if it
    /// isn't open.
    package static func libraryVersions() throws(ImagingError) -> [(name: String, version: String)]
    {
        try Vips.open()
        // 0x010204 is 1.2.4, and 10639 is 1.6.39.
        let webp = Int(WebPGetEncoderVersion())
        let png = Int(vitrine_library_number("png_access_version_number"))
        return [
            ("libvips", EncoderVersion.libvips),
            ("libjpeg-turbo", String(cString: vitrine_turbojpeg_version())),
            ("little CMS", EncoderVersion.colors),
            ("libwebp", "\(webp >> 16).\(webp >> 8 & 255).\(webp & 255)"),
            ("libheif, AV1 encoder", EncoderVersion.of(.avif)),
            ("libpng", "\(png / 10_000).\(png / 100 % 100).\(png % 100)"),
        ]
    }
}
