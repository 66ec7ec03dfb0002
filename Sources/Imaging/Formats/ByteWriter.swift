/// Writes numbers as bytes, most significant first; the counterpart of ``ByteReader``.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter count: 1…8; higher bytes of the value are dropped.
    mutating func put(_ value: Int, _ count: Int) {
        for index in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }

    mutating func put(_ more: [UInt8]) { bytes += more }

    /// Reserves memory for this number of further bytes.
    mutating func reserve(_ more: Int) { bytes.reserveCapacity(bytes.count + more) }
}
