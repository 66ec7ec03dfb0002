import CSandbox
import Glibc
import Imaging

/// `RenderChild WHAT`: a renderer in a process of its own, honest (`render-child`) or one that a
/// picture has taken over.
@main
struct RenderChildMain {
    static func main() {
        let what = CommandLine.arguments.dropFirst().first ?? ""
        if what == "render-child" { return RenderChild.run() }
        if what == "dies-at-once" { exit(3) }
        while let number = receive() { answer(what, number) }
    }

    /// The order's number as it came; nil where the parent is gone.
    private static func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var file: Int32 = -1
        let count = sandbox_receive(Int32(SANDBOX_CHANNEL), &bytes, bytes.count, &file)
        return count > 7 ? Array(bytes.prefix(7)) : nil
    }

    private static func answer(_ what: String, _ number: [UInt8]) {
        // Found, 8×8, no alpha, black, no hash, then the length of one thumbnail.
        let found: [UInt8] = number + [0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 0, 0]
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        switch what {
        case "aborts": abort()
        case "segfaults": raise(SIGSEGV)
        case "exits": exit(3)
        case "closes":
            close(Int32(SANDBOX_CHANNEL))
            pause()
        case "spins": while true { _ = getpid() }
        case "sleeps": pause()
        case "says nothing": send([])
        case "answers another": send([9, 9, 9, 9, 9, 9, 9] + found.dropFirst(7), png)
        case "ends early": send(Array(found.prefix(20)), png)
        case "is not sealed": send(found + [0, 0, 0, 8], png, sealed: false)
        case "sends no memory": send(found + [0, 0, 0, 8])
        case "sends too little": send(found + [0, 0, 1, 0], png)
        case "sends too much": send(found + [0x7F, 0xFF, 0xFF, 0xFF], png)
        case "sends another format": send(found + [0, 0, 0, 8], [0xFF, 0xD8, 0xFF, 0, 0, 0, 0, 0])
        case "is too large":
            send(number + [0, 0x7F, 0, 0, 0, 0x7F, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 8, 0], png)
        case "has an unknown error": send(number + [200, 65])
        case "tries everything": send(number + [3] + Array(Attempts.made().utf8))
        default: exit(64)
        }
    }

    private static func send(_ message: [UInt8], _ memory: [UInt8]? = nil, sealed: Bool = true) {
        var file: Int32 = -1
        if let memory {
            file = sandbox_memory("answer")
            _ = memory.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
            if sealed { _ = sandbox_seal(file) }
        }
        _ =
            message.isEmpty
            ? sandbox_send(Int32(SANDBOX_CHANNEL), [0], 1, file)
            : sandbox_send(Int32(SANDBOX_CHANNEL), message, message.count, file)
        if file >= 0 { close(file) }
    }
}
