/// SHA-256 of a blob: its name in the store, its entity tag, its `Repr-Digest`.
package struct Digest: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let hex: String

    /// Hashes the bytes; about 2 ms per MB.
    package init(of bytes: [UInt8]) {
        fatalError("seam")
    }

    /// `nil` unless the text is 64 hexadecimal digits in lower case.
    package init?(hex: String) {
        fatalError("seam")
    }

    package var description: String { "sha256-\(hex)" }

    package static func < (left: Digest, right: Digest) -> Bool { left.hex < right.hex }
}
