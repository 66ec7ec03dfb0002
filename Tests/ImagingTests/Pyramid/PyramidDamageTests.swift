import TestSupport
import Testing

@testable import Imaging

/// A pyramid whose table a disk has damaged, at its reader.
@Suite(.timeLimit(.minutes(1))) struct PyramidDamageTests {
    /// A pyramid of nine tiles of ten bytes.
    private static let sound: [UInt8] = {
        var table = PyramidTable(PixelSize(width: 1_300, height: 900))
        let (start, count) = (table.byteCount, 10)
        for number in table.ranges.indices {
            let place = start + number * count
            table.place(number, place..<place + count)
        }
        let tile: [UInt8] = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: count - 3)
        return table.bytes + table.ranges.flatMap { _ in tile }
    }()

    @Test func `no number of a table leads out of the pyramid`() throws {
        let sound = Self.sound
        let table = try #require(PyramidTable(sound, blob: sound.count))
        #expect(table.ranges.count == 9)
        for width in [2, 4, 5, 8] {
            for damaged in DamagedBytes.withNumbers(
                sound, at: 0..<table.byteCount, width: width, isBigEndian: true)
            {
                // Of the most tiles that there may be.
                if let count = PyramidTable.byteCount(damaged) { #expect(count < 1 << 18) }
                _ = PyramidTable.isWhole(damaged, width: 1_300, height: 900)
                guard let read = PyramidTable(damaged, blob: damaged.count) else { continue }
                let places = read.byteCount..<damaged.count + 1
                #expect(
                    read.ranges.allSatisfy {
                        places.contains($0.lowerBound) && places.contains($0.upperBound)
                    })
            }
        }
    }

    @Test func `a pyramid that is cut is none`() {
        for cut in DamagedBytes.cuts(Self.sound) {
            #expect(PyramidTable(cut, blob: cut.count) == nil)
            _ = PyramidTable.byteCount(cut)
        }
    }
}
