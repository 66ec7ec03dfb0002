import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct SRGBProfileTests {
    private static func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func fixed(_ value: Double) -> [UInt8] {
        number(Int((value * 65_536).rounded()))
    }

    /// The curve of sRGB as a table.
    static func table(_ count: Int = 1_024, gamma: Double? = nil) -> [UInt8] {
        let values = (0..<count).flatMap { index -> [UInt8] in
            let value = Double(index) / Double(count - 1)
            let linear =
                gamma.map { pow(value, $0) }
                ?? (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
            return number(Int((linear * 65_535).rounded()), 2)
        }
        return Array("curv".utf8) + number(0) + number(count) + values
    }

    /// The same as a formula.
    static let formula =
        Array("para".utf8) + number(0) + number(3, 2) + number(0, 2)
        + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)

    static func profile(
        red: [Double] = [0.4361, 0.2225, 0.0139], curve: [UInt8] = table(), extra: String? = nil
    ) -> [UInt8] {
        let colors = [
            ("rXYZ", red), ("gXYZ", [0.3851, 0.7169, 0.0971]), ("bXYZ", [0.1431, 0.0606, 0.7141]),
        ]
        var tags = colors.map { name, values in
            (name, Array("XYZ ".utf8) + number(0) + values.flatMap(fixed))
        }
        tags += ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }
        if let extra { tags.append((extra, curve)) }
        var table = number(tags.count)
        var content: [UInt8] = []
        for (name, value) in tags {
            table += Array(name.utf8) + number(132 + 12 * tags.count + content.count)
            table += number(value.count)
            content += value
        }
        let header =
            number(128 + table.count + content.count) + [UInt8](repeating: 0, count: 12)
            + Array("RGB XYZ ".utf8) + [UInt8](repeating: 0, count: 104)
        return header + table + content
    }

    @Test func `primaries and curves of sRGB are recognized`() {
        #expect(SRGBProfile.matches(Self.profile()))
        #expect(SRGBProfile.matches(Self.profile(curve: Self.formula)))
        #expect(SRGBProfile.matches(Self.profile(curve: Self.table(256))))
    }

    @Test func `other colors are not sRGB`() {
        // Adobe RGB and Display P3 have another red.
        #expect(!SRGBProfile.matches(Self.profile(red: [0.6097, 0.3111, 0.0195])))
        #expect(!SRGBProfile.matches(Self.profile(red: [0.5151, 0.2412, -0.0011])))
        #expect(!SRGBProfile.matches(Self.profile(curve: Self.table(gamma: 1.8))))
        #expect(!SRGBProfile.matches(Self.profile(curve: Self.table(gamma: 2.2))))
        // Tables for whole colors override primaries and curves.
        #expect(!SRGBProfile.matches(Self.profile(extra: "A2B0")))
        #expect(!SRGBProfile.matches(FixtureImages.swappedProfile))
    }

    @Test func `a cut profile is not sRGB`() {
        let profile = Self.profile()
        for count in stride(from: 0, to: profile.count, by: 97) {
            #expect(!SRGBProfile.matches(Array(profile.prefix(count))))
        }
    }

    /// A JPEG with a profile in that many parts of at most 60,000 bytes.
    private static func jpeg(_ profile: [UInt8], parts: Int, count: Int) throws -> [UInt8] {
        let jpeg = FixtureImages.jpeg(width: 40, height: 40)
        var segments: [UInt8] = []
        for index in 0..<parts {
            let part = profile.dropFirst(index * 60_000).prefix(60_000)
            let content =
                Array("ICC_PROFILE\0".utf8) + [UInt8(truncatingIfNeeded: index + 1), UInt8(count)]
            segments += [0xFF, 0xE2] + number(content.count + part.count + 2, 2) + content + part
        }
        return jpeg.prefix(2) + segments + jpeg.dropFirst(2)
    }

    @Test func `a profile in parts counts if all of them are there, each once`() throws {
        let profile = Self.profile() + [UInt8](repeating: 0, count: 100_000)
        let whole = try Self.jpeg(profile, parts: 2, count: 2)
        #expect(try JPEGFixture.isPlanar(whole))
        #expect(try !JPEGFixture.isPlanar(Self.jpeg(profile, parts: 2, count: 3)))
        #expect(try !JPEGFixture.isPlanar(Self.jpeg(profile, parts: 1, count: 2)))
    }

    @Test func `the parts of a profile are checked before they are copied`() throws {
        let bad = try Self.jpeg([UInt8](repeating: 1, count: 12_000_000), parts: 200, count: 255)
        let reading = processorTime { _ = try? JPEGFixture.header(bad) }
        #expect(try !JPEGFixture.isPlanar(bad))
        // One look at each byte.
        #expect(reading < processorTime { _ = JPEGPlanes.scans(bad) })
    }
}
