/// Why a request is refused before it is routed.
package enum RequestRefusal: Error, Equatable {
    case targetTooLong(limit: Int)
    case headTooLarge(limit: Int)
    case tooSlow
    case bodyTooSlow
    case notHTTP
    /// The client begins a TLS handshake.
    case tls
    case unreadable(RequestScan.Fault)
    /// As many requests are being answered as admission allows.
    case overloaded

    /// - Parameter bytes: which begin no request.
    init(strange bytes: some Collection<UInt8>) {
        // The type of a record with a handshake (RFC 8446, section 5.1).
        self = bytes.first == 0x16 ? .tls : .notHTTP
    }

    /// Returns nil if a head of `length` bytes, which `bytes` begin with, is within the limits.
    package init?(
        tooLarge length: Int, _ bytes: some Collection<UInt8>, maxHeadBytes: Int,
        maxTargetBytes: Int
    ) {
        // With a method and a version around the target.
        let line = bytes.prefix(maxTargetBytes + 32)
        let isLineEnded = length <= maxTargetBytes || line.contains(UInt8(ascii: "\n"))
        if !isLineEnded {
            self = .targetTooLong(limit: maxTargetBytes)
        } else if length > maxHeadBytes {
            self = .headTooLarge(limit: maxHeadBytes)
        } else {
            return nil
        }
    }
}
