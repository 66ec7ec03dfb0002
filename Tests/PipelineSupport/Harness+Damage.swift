import Foundation
package import Hashing
import Store
import TestSupport

extension Harness {
    /// Flips a bit in the middle of a blob's file.
    package func damage(_ digest: Digest) throws {
        let files = FileManager.default.enumerator(atPath: directory.path)
        while let name = files?.nextObject() as? String {
            guard name.hasSuffix(digest.hex) else { continue }
            let url = URL(fileURLWithPath: directory.file(name))
            var bytes = try Data(contentsOf: url)
            bytes[bytes.count / 2] ^= 1
            // In place: the store must notice it although the file keeps its inode.
            let file = try FileHandle(forWritingTo: url)
            try file.write(contentsOf: bytes)
            try file.close()
        }
    }

    /// Returns where the blob of a digest lies.
    package func path(of digest: Digest) -> String {
        let hex = digest.hex
        return directory.file("v2/blobs/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)")
    }

    /// Returns how many descriptors of this process lead to the blob of a digest.
    package func openFiles(of digest: Digest) -> Int {
        let path = path(of: digest)
        let numbers = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return (numbers ?? []).count { number in
            // A removed file's path has an end that says so.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))
                .map { $0.hasPrefix(path) } ?? false
        }
    }
}
