import Glibc

/// Where the scrub continues, in `v2/scrub`, locked while a process scrubs.
final class ScrubPosition: Sendable {
    /// First-level directories.
    static let count = 256

    private let file: FileDescriptor
    private let layout: StoreLayout
    let next: Int

    /// Returns nil if another process scrubs. Blocks.
    init?(_ layout: StoreLayout) throws(StoreError) {
        self.layout = layout
        var next: Int?
        let file = try layout.trying("lock", layout.scrub) { () throws(Errno) -> FileDescriptor in
            let file = try FileDescriptor(
                opening: layout.scrub, O_CREAT | O_RDWR, mode: StoreLayout.fileMode)
            guard try file.lock(waiting: false) else { return file }
            let text = String(decoding: try file.read(8, at: 0), as: UTF8.self)
            next = Int(text.prefix { $0.isHexDigit }, radix: 16) ?? 0
            return file
        }
        guard let next else { return nil }
        self.file = file
        self.next = next % Self.count
    }

    func save(_ next: Int) throws(StoreError) {
        let text = String(next, radix: 16)
        let padded = String(repeating: "0", count: 8 - text.count) + text
        try layout.trying("write", layout.scrub) { () throws(Errno) in
            try file.write(Array(padded.utf8), at: 0)
        }
    }
}
