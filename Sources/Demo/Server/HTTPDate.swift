import Glibc

/// A moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
struct HTTPDate: Sendable, Equatable {
    let text: String

    /// `seconds` since 1970.
    init(seconds: Int) {
        var (seconds, moment) = (time_t(seconds), tm())
        gmtime_r(&seconds, &moment)
        let bytes = [CChar](unsafeUninitializedCapacity: 32) { text, count in
            count = strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &moment)
        }
        text = String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
