/// Numbers under names that don't show them, as real services give their things; reversible.
struct OpaqueName: Sendable {
    enum Alphabet: Sendable {
        case hexadecimal, base62

        fileprivate var letters: [UInt8] {
            switch self {
            case .hexadecimal: Array("0123456789abcdef".utf8)
            case .base62:
                Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
            }
        }

        /// Letters that hold 64 bits.
        fileprivate var digits: Int { self == .hexadecimal ? 16 : 11 }
    }

    /// Different kinds of things have different salts, so that equal numbers don't look alike.
    let salt: UInt64
    let alphabet: Alphabet
    /// Letters; at least what 64 bits need. The rest is a check.
    let length: Int

    func name(_ number: Int) -> String {
        let letters = alphabet.letters
        let base = UInt64(letters.count)
        var rest = scrambled(UInt64(number))
        var name: [UInt8] = []
        for _ in 0..<alphabet.digits {
            name.append(letters[Int(rest % base)])
            rest /= base
        }
        var check = SeededRandom(seed: salt, UInt64(number))
        while name.count < length { name.append(letters[Int(check.next() % base)]) }
        return String(decoding: name, as: UTF8.self)
    }

    /// Returns the number of a name; `nil` if the name was not made by this.
    func number(_ name: some StringProtocol) -> Int? {
        let letters = alphabet.letters
        var value: UInt64 = 0
        for letter in Array(name.utf8).prefix(alphabet.digits).reversed() {
            guard let digit = letters.firstIndex(of: letter) else { return nil }
            let (product, overflows) = value.multipliedReportingOverflow(by: UInt64(letters.count))
            let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
            if overflows || carries { return nil }
            value = sum
        }
        guard let number = Int(exactly: unscrambled(value)), self.name(number) == String(name)
        else { return nil }
        return number
    }

    /// Four rounds of a Feistel network.
    private func scrambled(_ value: UInt64) -> UInt64 {
        var (left, right) = (UInt32(value >> 32), UInt32(truncatingIfNeeded: value))
        for round in 0..<4 { (left, right) = (right, left ^ mixed(right, round)) }
        return UInt64(left) << 32 | UInt64(right)
    }

    private func unscrambled(_ value: UInt64) -> UInt64 {
        var (left, right) = (UInt32(value >> 32), UInt32(truncatingIfNeeded: value))
        for round in (0..<4).reversed() { (left, right) = (right ^ mixed(left, round), left) }
        return UInt64(left) << 32 | UInt64(right)
    }

    private func mixed(_ half: UInt32, _ round: Int) -> UInt32 {
        var random = SeededRandom(seed: salt, UInt64(round), UInt64(half))
        return UInt32(truncatingIfNeeded: random.next())
    }
}
