import CLCMS
import CPixels
import CVips
import CWebP

/// Versions of the code that decides the bytes of a thumbnail besides its settings.
enum EncoderVersion {
    /// Returns the versions of the libraries that encode a format.
    static func of(_ format: ThumbnailFormat) -> String {
        switch format {
        case .jpeg: jpegTrait
        case .webp: "\(WebPGetEncoderVersion())"
        case .avif: avif
        case .png: png
        }
    }

    /// Stands for a version that can't be read. No other process has it, so that nothing is ever taken for
    /// the bytes of another version.
    static let unknown = "unknown \(UInt64.random(in: 0...UInt64.max))"

    /// `8.14.1`; opens libvips. ``unknown`` if it can't be opened, and then no picture is rendered with it.
    static var libvips: String {
        guard Vips.isOpen else { return unknown }
        return String(cString: vitrine_vips_version())
    }

    /// libvips is linked with libpng or libspng.
    private static let png: String = {
        guard Vips.isOpen else { return unknown }
        let libpng = vitrine_library_number("png_access_version_number")
        let texts = ["spng_version_string", "zlibVersion"].compactMap { (function: String) in
            vitrine_library_text(function).map { String(cString: $0) }
        }
        return (["\(libpng)"] + texts).joined(separator: " ")
    }()

    private static let avif: String = {
        guard Vips.isOpen else { return unknown }
        if let versions = avifVersions { return versions }
        // libvips' modules load a libheif of another name.
        if case .failure = Result(catching: Vips.start) { return unknown }
        return avifVersions ?? unknown
    }()

    private static var avifVersions: String? {
        var text = [CChar](repeating: 0, count: 256)
        guard vitrine_avif_versions(&text, text.count) > 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// libjpeg-turbo doesn't report its version, and versions round differently, so that the bytes of a
    /// small picture stand for it.
    private static let jpegTrait: String = {
        do throws(ImagingError) {
            return try RenderWorkspace.with { (workspace) throws(ImagingError) in
                let picture = Planes(PixelSize(width: 48, height: 48), .both, in: workspace)
                for plane in picture.planes {
                    for row in 0..<Int(plane.height) {
                        for column in 0..<Int(plane.width) {
                            let index = 48 * row + column
                            plane.samples[row * plane.stride + column] = UInt8(
                                truncatingIfNeeded: index &* index / 97 ^ index / 13)
                        }
                    }
                }
                let encoding = Encoding.jpeg(
                    quality: 80, background: RGB(red: 0, green: 0, blue: 0))
                return Fingerprint.hex(try picture.encoded(as: encoding, in: workspace))
            }
        } catch {
            // Then encoding any thumbnail fails, too.
            return unknown
        }
    }()

    /// That of little CMS, which converts colors: `2.14`.
    static var colors: String {
        let version = cmsGetEncodedCMMversion()
        return "\(version / 1_000).\(version % 1_000 / 10)"
    }

    /// The version of the pixel kernels.
    static var resampler: Int { Int(PIXELS_VERSION) }
}
