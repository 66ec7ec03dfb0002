import Testing

@testable import Imaging

/// Reads mutated headers: each gives a header or an error with a reason.
enum HeaderMutations {
    /// Every length, and every byte replaced by the values most likely to fail.
    static func read(_ bytes: [UInt8], _ format: ImageFormat) {
        for length in 0...bytes.count { readOne(Array(bytes.prefix(length)), format) }
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = bytes
                changed[index] = value
                readOne(changed, format)
            }
        }
    }

    private static func readOne(_ bytes: [UInt8], _ format: ImageFormat) {
        do throws(ImagingError) {
            let header = try HeaderReader.read(bytes, format)
            #expect(header.info.width > 0)
        } catch {
            #expect(!error.description.isEmpty)
        }
    }
}
