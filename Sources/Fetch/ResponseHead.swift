/// The fields of a response head.
struct ResponseHead {
    private(set) var fields: [(name: String, value: String)] = []

    /// Reads `name: value` lines and skips others: the status line and the empty line.
    init(_ bytes: [UInt8]) {
        fields.reserveCapacity(16)
        bytes.withUnsafeBufferPointer { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
                take(rest[..<end])
                rest = rest[end...].dropFirst()
            }
        }
    }

    private mutating func take(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        var value = line[(colon + 1)...].drop(while: Self.isBlank)
        while let last = value.last, Self.isBlank(last) { value = value.dropLast() }
        fields.append(
            (
                String(decoding: line[..<colon], as: UTF8.self),
                String(decoding: value, as: UTF8.self)
            ))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0d
    }

    /// Returns the value of the first field with that name, which must be lower-case.
    func first(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }
}
