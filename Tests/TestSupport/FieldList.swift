import CNghttp2

/// Header fields as nghttp2 takes them.
enum FieldList {
    static func with<Result>(
        _ fields: [(String, String)], _ body: ([nghttp2_nv]) -> Result
    ) -> Result {
        var text: [UInt8] = []
        var ranges: [(name: Range<Int>, value: Range<Int>)] = []
        for (name, value) in fields {
            let start = text.count
            text += name.utf8
            let middle = text.count
            text += value.utf8
            ranges.append((start..<middle, middle..<text.count))
        }
        return text.withUnsafeMutableBufferPointer { text in
            body(
                ranges.map { range in
                    nghttp2_nv(
                        name: text.baseAddress.map { $0 + range.name.lowerBound },
                        value: text.baseAddress.map { $0 + range.value.lowerBound },
                        namelen: range.name.count, valuelen: range.value.count, flags: 0)
                })
        }
    }
}
