import Foundation

#if canImport(CryptoKit)
    import CryptoKit

    /// HMAC-SHA-256 (RFC 2104).
    enum HMAC256 {
        static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
            Array(
                HMAC<CryptoKit.SHA256>.authenticationCode(
                    for: message, using: SymmetricKey(data: key)))
        }
    }
#else
    /// HMAC-SHA-256 (RFC 2104), where the system has no CryptoKit.
    enum HMAC256 {
        static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
            var block = key.count > SHA256.blockBytes ? SHA256.digest(of: key) : key
            block += [UInt8](repeating: 0, count: SHA256.blockBytes - block.count)
            let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
            return SHA256.digest(of: block.map { $0 ^ 0x5C } + inner)
        }
    }

    /// SHA-256 (FIPS 180-4) of short texts.
    enum SHA256 {
        static let blockBytes = 64

        static func digest(of message: [UInt8]) -> [UInt8] {
            var state = initial
            for block in blocks(of: message) { state = compressed(state, block) }
            return state.flatMap { word in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
            }
        }

        /// The first 32 bits of the fractional parts of roots of the first primes: square roots of 8.
        private static let initial = primes(8).map { fraction(Double($0).squareRoot()) }
        /// Cube roots of 64.
        private static let constants = primes(64).map { fraction(cbrt(Double($0))) }

        private static func primes(_ count: Int) -> [Int] {
            var found: [Int] = []
            var number = 2
            while found.count < count {
                if found.allSatisfy({ number % $0 != 0 }) { found.append(number) }
                number += 1
            }
            return found
        }

        private static func fraction(_ root: Double) -> UInt32 {
            UInt32((root - root.rounded(.down)) * 4_294_967_296)
        }

        /// The message with its end: a bit, zeros, and its length in bits; as words.
        private static func blocks(of message: [UInt8]) -> [[UInt32]] {
            var bytes = message + [0x80]
            while bytes.count % blockBytes != blockBytes - 8 { bytes.append(0) }
            let length = UInt64(message.count) * 8
            bytes += stride(from: 56, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: length >> UInt64($0))
            }
            return stride(from: 0, to: bytes.count, by: blockBytes).map { start in
                (0..<16).map { word in
                    bytes[start + 4 * word..<start + 4 * word + 4].reduce(0) {
                        $0 << 8 | UInt32($1)
                    }
                }
            }
        }

        private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 {
            word >> bits | word << (32 - bits)
        }

        private static func compressed(_ state: [UInt32], _ block: [UInt32]) -> [UInt32] {
            var words = block
            for at in 16..<64 {
                let (early, late) = (words[at - 15], words[at - 2])
                let s0 = turned(early, 7) ^ turned(early, 18) ^ early >> 3
                let s1 = turned(late, 17) ^ turned(late, 19) ^ late >> 10
                words.append(words[at - 16] &+ s0 &+ words[at - 7] &+ s1)
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            for at in 0..<64 {
                let s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
                let choice = (e & f) ^ (~e & g)
                let first = h &+ s1 &+ choice &+ constants[at] &+ words[at]
                let s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
                let majority = (a & b) ^ (a & c) ^ (b & c)
                (h, g, f, e) = (g, f, e, d &+ first)
                (d, c, b, a) = (c, b, a, first &+ s0 &+ majority)
            }
            return zip(state, [a, b, c, d, e, f, g, h]).map { $0 &+ $1 }
        }
    }
#endif
