import Foundation
package import Store
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
}
