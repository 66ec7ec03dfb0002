package import Hashing

/// Bytes with their digest, so that they are hashed once.
package struct HashedBytes: Sendable {
    package let digest: Digest
    package let bytes: [UInt8]

    /// Hashes the bytes on the calling thread, which takes about 0.05 ms for each 100 kB.
    package init(_ bytes: [UInt8]) { self.init(digest: Digest(of: bytes), bytes: bytes) }

    /// - Parameter digest: must be that of the bytes.
    package init(digest: Digest, bytes: [UInt8]) {
        self.digest = digest
        self.bytes = bytes
    }
}
