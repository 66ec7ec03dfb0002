/// Short names for settings and the like: FNV-1a (64 bit, RFC 9923) in hexadecimal.
enum Fingerprint {
    /// 16 lower-case hexadecimal digits.
    static func hex(_ text: String) -> String { hex(Array(text.utf8)) }

    /// 16 lower-case hexadecimal digits.
    static func hex(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
