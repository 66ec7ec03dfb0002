import CPixels
import CVips

/// Versions of the code that decides the bytes of a thumbnail besides its settings.
enum EncoderVersion {
    /// Returns the versions of the libraries that encode a format.
    static func of(_ format: ThumbnailFormat) -> String {
        switch format {
        case .jpeg: jpegTrait
        case .webp: "\(vitrine_library_number("WebPGetEncoderVersion"))"
        case .avif: libraries("heif_get_version", "aom_codec_version_str")
        case .png: png
        }
    }

    private static var png: String {
        let zlib = libraries("zlibVersion")
        return "\(vitrine_library_number("png_access_version_number")) \(zlib)"
    }

    /// libjpeg-turbo doesn't report its version, and versions round differently, so that the bytes of a
    /// small picture stand for it.
    private static let jpegTrait: String = {
        do throws(ImagingError) {
            let picture = try PixelBuffer(width: 48, height: 48, bands: 3)
            for index in 0..<picture.count {
                picture.bytes[index] = UInt8(truncatingIfNeeded: index &* index / 97 ^ index / 13)
            }
            let encoding = Encoding.jpeg(quality: 80, background: RGB(red: 0, green: 0, blue: 0))
            return Fingerprint.hex(try encoding.encode(picture))
        } catch {
            // Then encoding any thumbnail fails, too.
            return "-"
        }
    }()

    /// Opens libvips, which opens the libraries.
    private static func libraries(_ functions: String...) -> String {
        if Vips.version == "-" { return "-" }
        return functions.map { vitrine_library_text($0).map { String(cString: $0) } ?? "-" }
            .joined(separator: " ")
    }

    /// The version of the pixel kernels.
    static var resampler: Int { Int(PIXELS_VERSION) }
}
