/// base64url without padding (RFC 4648, section 5). Pure.
package enum Base64URL {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte that is a digit; 64 for others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// Returns the encoded bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var (count, bits, held) = (0, UInt32(0), 0)
            func put(_ value: UInt32) {
                text[count] = digits[Int(value & 63)]
                count += 1
            }
            for byte in bytes {
                (bits, held) = (bits << 8 | UInt32(byte), held + 8)
                while held >= 6 {
                    held -= 6
                    put(bits >> UInt32(held))
                }
            }
            if held > 0 { put(bits << UInt32(6 - held)) }
            return count
        }
    }

    /// Returns the bytes; `nil` for any text that ``encode(_:)`` would not have written.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var (bits, held) = (UInt32(0), 0)
        for digit in text.utf8 {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            (bits, held) = (bits << 6 | UInt32(value), held + 6)
            guard held >= 8 else { continue }
            held -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        }
        // A rest is shorter than a digit, and its bits are 0.
        guard held < 6, bits & (1 << UInt32(held) - 1) == 0 else { return nil }
        return bytes
    }
}
