extension FixtureImages {
    /// A CMYK JPEG of one color, as Adobe's programs write it: inverted, without a profile.
    ///
    /// - Parameters:
    ///   - width: a multiple of 8, like `height`.
    ///   - ink: cyan, magenta, yellow and black, 0 (none) … 255; exact to a step of 2.
    package static func cmykJPEG(width: Int, height: Int, ink: [Int]) -> [UInt8] {
        func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            let length = content.count + 2
            return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
        }
        let size = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let components = (1...4).flatMap { [UInt8($0), 0x11, 0] as [UInt8] }
        // DC differences of 0…11 bits have codes of four bits; the only AC code is "end of block".
        let dc = [0, 0, 0, 12] + Array(repeating: 0, count: 12) + Array(0...11)
        let ac = [1] + Array(repeating: 0, count: 15) + [0]
        var bits = BitWriter()
        for block in 0..<(width / 8 * height / 8) {
            for value in ink {
                // With a quantiser of 16, DC counts in steps of 2 around the middle.
                bits.writeDC(block == 0 ? (255 - value - 128) / 2 : 0)
                bits.write(0, count: 1)
            }
        }
        return [0xFF, 0xD8]
            + segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
            + segment(0xDB, [0] + Array(repeating: 16, count: 64))
            + segment(0xC0, [8] + size + [4] + components)
            + segment(0xC4, [0x00] + dc.map(UInt8.init))
            + segment(0xC4, [0x10] + ac.map(UInt8.init))
            + segment(0xDA, [4] + (1...4).flatMap { [UInt8($0), 0] } + [0, 63, 0])
            + bits.finished() + [0xFF, 0xD9]
    }

    /// Entropy-coded data of a JPEG.
    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var pending = 0
        private var count = 0

        mutating func write(_ value: Int, count added: Int) {
            pending = pending << added | value & (1 << added - 1)
            count += added
            while count >= 8 {
                let byte = UInt8(pending >> (count - 8) & 0xFF)
                bytes += byte == 0xFF ? [byte, 0] : [byte]
                count -= 8
            }
            pending &= 1 << count - 1
        }

        mutating func writeDC(_ difference: Int) {
            let size = Int.bitWidth - abs(difference).leadingZeroBitCount
            write(size, count: 4)
            write(difference < 0 ? difference - 1 : difference, count: size)
        }

        func finished() -> [UInt8] {
            count == 0 ? bytes : bytes + [UInt8(pending << (8 - count) | (1 << (8 - count) - 1))]
        }
    }
}
