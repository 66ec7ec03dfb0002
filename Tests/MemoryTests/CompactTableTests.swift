import Testing

@testable import Memory

@Suite(.timeLimit(.minutes(1))) struct CompactTableTests {
    private struct Record: BitwiseCopyable, Equatable {
        var number: Int
        var more = (0, 0, 0)

        static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    }

    private func name(_ number: Int) -> Fingerprint { Fingerprint(number) }

    @Test func `values are found, changed and removed by their names`() {
        let table = CompactTable<Record>(bytes: 1 << 20)
        #expect(table.value(name(1)) == nil)
        table.set(Record(number: 1), for: name(1))
        table.set(Record(number: 2), for: name(2))
        table.set(Record(number: 3), for: name(1))
        #expect(table.value(name(1)) == Record(number: 3))
        table.update(name(2)) { $0.number = 4 }
        table.update(name(9)) { $0.number = 5 }
        #expect(table.value(name(2)) == Record(number: 4))
        #expect(table.count == 2)
        table.remove(name(1))
        #expect(table.value(name(1)) == nil && table.value(name(2)) != nil)
        table.removeAll()
        #expect(table.count == 0 && table.value(name(2)) == nil)
    }

    @Test func `the table holds no more than its bytes, and never another name's value`() {
        let table = CompactTable<Record>(bytes: 48 * 1_000)
        #expect(table.bytes <= 48_000 && table.capacity == 1_000)
        for number in 0..<10_000 { table.set(Record(number: number), for: name(number)) }
        #expect(table.count == 1_000)
        for number in 0..<10_000 {
            if let value = table.value(name(number)) { #expect(value.number == number) }
        }
    }

    @Test func `entries that are looked up survive those that are not`() {
        let table = CompactTable<Record>(bytes: 48 * 8)
        for number in 0..<8 { table.set(Record(number: number), for: name(number)) }
        for number in 100..<1_000 {
            // It begins in the place that new entries take.
            #expect(table.value(name(7)) == Record(number: 7))
            table.set(Record(number: number), for: name(number))
        }
        #expect(table.count == 8)
    }

    @Test func `a name follows from the key, its first half is the hash value`() {
        #expect(name(1) == name(1) && name(1) != name(2))
        #expect(name(1).first == UInt64(bitPattern: Int64(1.hashValue)))
        let bytes = Array("target".utf8)
        let names = bytes.withUnsafeBytes { bytes in
            [
                Fingerprint(bytes, 0), Fingerprint(bytes, 1),
                Fingerprint(UnsafeRawBufferPointer(rebasing: bytes.dropLast()), 0),
            ]
        }
        #expect(Set(names).count == 3)
        #expect(bytes.withUnsafeBytes { Fingerprint($0, 0) } == names[0])
    }
}
