/// The counterpart of ``ByteReader``: numbers to bytes, most significant first.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter count: 1…8; higher bytes of the value are left away.
    mutating func put(_ value: Int, _ count: Int) {
        for index in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }

    mutating func put(_ more: [UInt8]) { bytes += more }
}
