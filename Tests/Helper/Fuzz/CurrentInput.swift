import Glibc

/// The input that is being worked on, in a file that outlives the process: a shared mapping, because a
/// system call for each of ten million headers would take longer than reading them.
///
/// Its number, how many bytes it has, then those.
final class CurrentInput: Sendable {
    struct Failure: Error {
        let path: String
        let code: Int32
    }

    /// Longer inputs are kept in part.
    private static let room = 2 << 20
    private static let head = 16

    let path: String
    // nonisolated(unsafe) because one thread at a time writes, and the process that reads locks nothing.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer

    /// Opens the file, or creates it.
    init(_ path: String) throws(Failure) {
        self.path = path
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, ftruncate(file, Self.head + Self.room) == 0,
            let memory = mmap(
                nil, Self.head + Self.room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else { throw Failure(path: path, code: errno) }
        self.memory = memory
    }

    deinit { munmap(memory, Self.head + Self.room) }

    func write(_ number: Int, _ bytes: [UInt8]) {
        let count = min(bytes.count, Self.room)
        bytes.withUnsafeBytes { raw in
            if let start = raw.baseAddress { memcpy(memory + Self.head, start, count) }
        }
        memory.storeBytes(of: count, toByteOffset: 8, as: Int.self)
        memory.storeBytes(of: number, as: Int.self)
    }

    /// Of the input; -1 before the first.
    var number: Int { memory.load(as: Int.self) }

    var bytes: [UInt8] {
        let count = min(max(0, memory.load(fromByteOffset: 8, as: Int.self)), Self.room)
        return Array(UnsafeRawBufferPointer(start: memory + Self.head, count: count))
    }
}
