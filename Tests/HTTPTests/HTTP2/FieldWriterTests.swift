import Testing

@testable import HTTP

/// Blocks of fields by RFC 7541.
@Suite struct FieldWriterTests {
    /// The block of a head with these fields.
    private func block(
        _ writer: inout FieldWriter, _ fields: [(name: String, value: String)]
    ) -> [UInt8] {
        var head = ResponseHead(status: 200, reason: "OK")
        for (name, value) in fields { head.add(name, value) }
        var block: [UInt8] = []
        head.sent { head in
            block = [UInt8](unsafeUninitializedCapacity: FieldWriter.most(head)) { room, count in
                count = writer.write(head, to: UnsafeMutableRawBufferPointer(room))
            }
        }
        return block
    }

    private func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test func `a value that changes is written as it is, however often it comes`() {
        var writer = FieldWriter()
        for _ in 0..<2 {
            // The names are numbers 34 and 28 of the static table; the last one is not in there.
            #expect(
                block(&writer, [("ETag", "\"a\""), ("Content-Length", "1000"), ("X-Odd", "")])
                    == [0x0F, 19] + text("\"a\"") + [0x0F, 13] + text("1000")
                    + [0] + text("x-odd") + [0])
        }
    }

    @Test func `a value that stays is put into the table once, and is a byte from then on`() {
        var writer = FieldWriter()
        let fields = [("Server", "vitrine"), ("Vary", "Accept"), ("X-Frame-Options", "DENY")]
        #expect(
            block(&writer, fields)
                == [0x76] + text("vitrine") + [0x7B] + text("Accept")
                + [0x40] + text("x-frame-options") + text("DENY"))
        // The newest field is number 62.
        #expect(block(&writer, fields) == [0xC0, 0xBF, 0xBE])
        #expect(block(&writer, fields.reversed()) == [0xBE, 0xBF, 0xC0])
        // Another value is another field.
        #expect(block(&writer, [("Vary", "Origin")]) == [0x7B] + text("Origin"))
        #expect(block(&writer, [("Vary", "Origin"), ("Server", "vitrine")]) == [0xBE, 0xC1])
    }

    @Test func `a long value has a length of several bytes`() {
        var writer = FieldWriter()
        for (count, length) in [(126, [126]), (127, [127, 0]), (1_337, [127, 0xBA, 9])] {
            let value = String(repeating: "v", count: count)
            #expect(
                block(&writer, [("Location", value)])
                    == [0x0F, 31] + length.map { UInt8($0) } + Array(value.utf8))
        }
    }

    @Test func `a full table takes nothing more, and loses nothing`() {
        var writer = FieldWriter()
        #expect(block(&writer, [("Server", "vitrine")]) == [0x76] + text("vitrine"))
        let value = String(repeating: "x", count: 60)
        for number in 10..<100 { _ = block(&writer, [("Vary", "\(value)\(number)")]) }
        #expect(block(&writer, [("Vary", "\(value)99")]) == [0x0F, 44] + text("\(value)99"))
        // Of 4,096 bytes it takes 45, and 41 fields of 98 bytes came after it.
        #expect(block(&writer, [("Server", "vitrine")]) == [0x80 + 62 + 41])
    }

    @Test func `a table that the client doesn't keep is not used`() {
        var writer = FieldWriter()
        _ = block(&writer, [("Vary", "Accept")])
        writer.close()
        for _ in 0..<2 {
            #expect(block(&writer, [("Vary", "Accept")]) == [0x0F, 44] + text("Accept"))
        }
    }

    @Test func `a stream that has ended is the next request's, unless something knows it`() {
        let spares = SpareStreams()
        func ended() -> HTTP2Stream {
            let stream = spares.take()
            stream.begin(1, at: 0, sentByAll: 0, isRequestWhole: true)
            _ = stream.drop()
            return stream
        }
        let stream = ended()
        let first = ObjectIdentifier(stream)
        spares.give(consume stream)
        #expect(ObjectIdentifier(spares.take()) == first)
        let known = ended()
        spares.give(known)
        #expect(spares.take() !== known)
    }
}
