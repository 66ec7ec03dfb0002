private import CCrypto

/// SHA-256 of bytes that arrive in pieces (FIPS 180-4), by the system's libcrypto, which uses the processor's
/// SHA instructions. A value without allocations; any thread, one at a time.
package struct SHA256 {
    /// Bytes of a digest.
    package static let byteCount = 32

    /// The version of the OpenSSL that is loaded, such as 3.0.17.
    package static var libraryVersion: String {
        String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
    }

    private var context: SHA256_CTX

    package init() {
        context = SHA256_CTX()
        vitrine_crypto_sha256_begin(&context)
    }

    /// Adds the next piece.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        vitrine_crypto_sha256_add(&context, bytes.baseAddress, bytes.count)
    }

    /// Returns the 32 bytes for all pieces so far; pieces can still follow.
    package func finalize() -> [UInt8] {
        var copy = context
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
            vitrine_crypto_sha256_end(&copy, digest.baseAddress)
            count = Self.byteCount
        }
    }

    /// Returns the 32 bytes for one piece.
    package static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        if bytes.withContiguousStorageIfAvailable({ hash.update(UnsafeRawBufferPointer($0)) })
            == nil
        {
            Array(bytes).withUnsafeBytes { hash.update($0) }
        }
        return hash.finalize()
    }
}

/// HMAC-SHA-256 (RFC 2104).
package enum HMAC {
    /// Returns the 32 bytes of the code.
    package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { code, count in
            key.withUnsafeBytes { key in
                message.withUnsafeBytes { message in
                    vitrine_crypto_hmac(
                        key.baseAddress, key.count, message.baseAddress, message.count,
                        code.baseAddress)
                }
            }
            count = SHA256.byteCount
        }
    }

    /// Compares in a time that depends on the lengths only.
    package static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
        let expected = Self.code(for: message, key: key)
        guard code.count == expected.count else { return false }
        return vitrine_crypto_equal(code, expected, expected.count)
    }
}
