// `stat` is Glibc's, but the compiler takes it for CoreFoundation's wherever that is loaded too.
import CoreFoundation
import Foundation
import Glibc

/// The input that is being rendered, in a file that outlives the process: its number in eight
/// bytes, then its bytes. The time of the file tells how long it has been at it.
struct CurrentInput {
    let path: String

    func write(_ number: Int, _ bytes: [UInt8]) throws {
        let head = withUnsafeBytes(of: number) { Data($0) }
        try (head + bytes).write(to: URL(filePath: path))
    }

    func read() throws -> (number: Int, bytes: Data) {
        let data = try Data(contentsOf: URL(filePath: path))
        guard data.count >= 8 else { return (-1, Data()) }
        let number = data.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
        return (number, data.dropFirst(8))
    }

    /// Seconds since the last write.
    var age: Double {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        let written = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
        return Date().timeIntervalSince1970 - written
    }
}
