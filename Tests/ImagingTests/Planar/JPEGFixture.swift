import CTurboJPEG
import Testing

@testable import Imaging

/// JPEGs of every sampling, which `Canvas` doesn't write.
enum JPEGFixture {
    /// - Parameter flags: of TurboJPEG, such as `TJFLAG_PROGRESSIVE`.
    static func encoded(
        _ pixels: PixelBuffer, _ sampling: ChromaSampling, quality: Int = 90, flags: Int32 = 0
    ) throws -> [UInt8] {
        let handle = try #require(tjInitCompress())
        defer { tjDestroy(handle) }
        var bytes: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        let format = pixels.bands == 1 ? TJPF_GRAY : TJPF_RGB
        let status = tjCompress2(
            handle, pixels.bytes, Int32(pixels.width), Int32(pixels.stride), Int32(pixels.height),
            Int32(format.rawValue), &bytes, &count, sampling.code, Int32(quality), flags)
        defer { tjFree(bytes) }
        #expect(status == 0)
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// The same picture with a profile that can't be read, so that libvips makes its thumbnails, which
    /// ignores the profile.
    static func general(_ jpeg: [UInt8]) -> [UInt8] {
        let payload = Array("ICC_PROFILE\0".utf8) + [1, 1] + Array("no profile".utf8)
        return Array(jpeg.prefix(2)) + [0xFF, 0xE2, 0, UInt8(payload.count + 2)] + payload
            + jpeg.dropFirst(2)
    }

    static func header(_ jpeg: [UInt8]) throws -> Header { try HeaderReader.read(jpeg, .jpeg) }

    /// Whether the picture takes the planar lane.
    static func isPlanar(_ jpeg: [UInt8]) throws -> Bool {
        try header(jpeg).planes != nil
    }
}
