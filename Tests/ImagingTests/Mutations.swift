import Testing

@testable import Imaging

/// Changed bytes. None of them may crash a reader.
enum Mutations {
    /// Calls the body with the beginnings of `bytes`, and with `bytes` in which one byte has one of the
    /// values most likely to fail.
    ///
    /// - Parameter start: where changes begin.
    static func each(
        of bytes: [UInt8], from start: Int = 0, _ body: ([UInt8]) throws -> Void
    ) rethrows {
        for length in start...bytes.count { try body(Array(bytes.prefix(length))) }
        for index in start..<bytes.count {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = bytes
                changed[index] = value
                try body(changed)
            }
        }
    }

    /// Each changed header gives a header or an error with a reason.
    static func readHeaders(_ bytes: [UInt8], _ format: ImageFormat) {
        each(of: bytes) { changed in
            do throws(ImagingError) {
                let header = try HeaderReader.read(changed, format)
                #expect(header.info.width > 0)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    /// Decodes a changed picture, or refuses it.
    static func decode(_ bytes: [UInt8]) throws {
        do {
            _ = try DecodedPixels(bytes) { _ in PixelSize(width: 1, height: 1) }
        } catch is ImagingError {}
    }
}
