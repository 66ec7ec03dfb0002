import CSandbox
import Glibc
import Imaging
import SandboxProbe

/// `Helper render WHAT …` starts renderers: honest ones (`render-child`) or ones that a picture has
/// taken over.
struct RenderCommand {
    private let what: String
    private let arguments: [String]

    init(_ arguments: ArraySlice<String>) {
        what = arguments.first ?? ""
        self.arguments = Array(arguments.dropFirst())
    }

    func run() {
        if what == "render-child" { return RenderChild.run() }
        if what == "starts-nothing" { exit(3) }
        if what == "forker stops" { raise(SIGSTOP) }
        if what == "has a thread" { probe_start_thread() }
        RenderChild.run { confinement in
            if case .failure = confinement { return RenderChild.serve(confinement) }
            if what == "has a thread" { return RenderChild.serve(confinement) }
            var memory: UnsafeMutableRawPointer?
            while let request = Request.receive(&memory) { answer(request) }
        }
    }

    private func answer(_ request: Request) {
        let number = request.number
        // Found, 8×8, no alpha, black, no hash, then the length of one thumbnail.
        let found: [UInt8] = number + [0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 0, 0]
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        switch what {
        case "aborts": abort()
        case "segfaults": raise(SIGSEGV)
        case "exits": _exit(3)
        case "closes":
            close(Int32(SANDBOX_CHANNEL))
            probe_wait()
        case "spins": while true { _ = getpid() }
        case "sleeps": probe_wait()
        case "stops": raise(SIGSTOP)
        case "says nothing": request.answer([0])
        case "answers another": request.answer([9, 9, 9, 9, 9, 9, 9] + found.dropFirst(7), png)
        case "ends early": request.answer(Array(found.prefix(20)), png)
        case "sends too much": request.answer(found + [0x7F, 0xFF, 0xFF, 0xFF], png)
        case "sends another format":
            request.answer(found + [0, 0, 0, 8], [0xFF, 0xD8, 0xFF, 0, 0, 0, 0, 0])
        case "is too large":
            request.answer(
                number + [0, 0x7F, 0, 0, 0, 0x7F, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 8, 0], png)
        case "has an unknown error": request.answer(number + [200, 65])
        case "says who it is": request.answer(number + [3] + Array("\(getpid())".utf8))
        case "tries everything": request.answer(number + [3] + Array(attempts.made().utf8))
        default: _exit(64)
        }
    }

    /// `Helper render "tries everything" FILE PROCESS MEMORY`.
    private var attempts: Attempts {
        Attempts(
            target: probe_target(
                file: strdup(arguments[0]), parent: Int32(arguments[1]) ?? 0,
                memory: Int(arguments[2]) ?? 0))
    }
}
