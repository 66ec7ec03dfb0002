import Glibc

/// Identifies a request in its response and in the log. The client's own id is used if it can go into both
/// unchanged.
package enum RequestID {
    /// Valid as long as the bytes of the request.
    case given(UnsafeRawBufferPointer)
    case made(UInt64)

    /// Longest id of a client in bytes.
    package static let maxBytes = 64
    private static let digits: StaticString = "0123456789abcdef"

    package init(_ given: UnsafeRawBufferPointer?, orElse made: @autoclosure () -> UInt64) {
        if let given, Self.isUsable(given) { self = .given(given) } else { self = .made(made()) }
    }

    /// The text of a new id.
    package static var random: String { made(.random(in: .min ... .max)).text }

    /// Returns whether the bytes are visible ASCII, and not too many.
    package static func isUsable(_ bytes: some Collection<UInt8>) -> Bool {
        (1...maxBytes).contains(bytes.count) && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// Writes the id and returns its length, at most ``maxBytes``.
    func write(to place: UnsafeMutableRawPointer) -> Int {
        switch self {
        case .given(let bytes):
            if let start = bytes.baseAddress { memcpy(place, start, bytes.count) }
            return bytes.count
        case .made(let number):
            // 16 digits are enough to find a request in a day's log.
            for index in 0..<16 {
                let digit = Int(number >> UInt64(60 - 4 * index) & 15)
                place.storeBytes(
                    of: Self.digits.utf8Start[digit], toByteOffset: index, as: UInt8.self)
            }
            return 16
        }
    }

    package var text: String {
        var bytes = [UInt8](repeating: 0, count: Self.maxBytes)
        let count = bytes.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { write(to: $0) } ?? 0
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
