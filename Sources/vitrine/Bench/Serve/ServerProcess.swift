import App
import Glibc

/// A server under load: this program or a peer, in a process of its own on a loopback port.
final class ServerProcess: Sendable {
    let name: String
    let port: Int
    private let program: MeasuredProgram
    private let errors: String

    /// Starts a server and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - order: the command; its standard error goes to a file in `scratch`.
    ///   - processors: what it is bound to; nil is all.
    static func start(
        _ name: String, port: Int, _ order: MeasuredProgram.Order, on processors: Processors? = nil,
        scratch: String
    ) async throws -> ServerProcess {
        var order = order
        let errors = "\(scratch)/\(name)-\(port).log"
        order.errors = .file(errors)
        let command = order
        let program = try await FileThreads.run { () throws(CommandError) in
            try MeasuredProgram.start(command, on: processors)
        }
        let server = ServerProcess(name, port, program, errors)
        do {
            try await server.waitUntilItListens()
        } catch {
            await server.stop()
            throw error
        }
        return server
    }

    private init(_ name: String, _ port: Int, _ program: MeasuredProgram, _ errors: String) {
        self.name = name
        self.port = port
        self.program = program
        self.errors = errors
    }

    /// This program as a server with a cache.
    ///
    /// - Parameter options: those with which it has the same settings as this process.
    static func vitrine(
        cache: String, options: [String], environment: [String: String],
        on processors: Processors? = nil, scratch: String
    ) async throws -> ServerProcess {
        let port = try LoopbackPort.free()
        var order = MeasuredProgram.Order(
            try ownPath(),
            ["serve"] + options + [
                "--host", "127.0.0.1", "--port", "\(port)", "--cache", cache, "--log-level",
                "error",
            ])
        order.environment = environment
        order.inheritsSettings = true
        return try await start("vitrine", port: port, order, on: processors, scratch: scratch)
    }

    func stop() async { await program.stop(within: 15) }

    /// Processor time of it and all its children until now, in seconds. Exact to a hundredth of a
    /// second for each process.
    func processorTime() -> Double {
        Double(ProcessTree.now().ticks(under: Int(program.identifier)))
            / ProcessUsage.ticksPerSecond
    }

    /// Resident memory of it and all its children, in bytes.
    func residentBytes() -> Int {
        ProcessTree.now().family(of: Int(program.identifier))
            .reduce(0) { $0 + $1.residentPages } * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private func waitUntilItListens() async throws {
        // A connection tells it best; no server here has another sign that all of them have.
        for _ in 0..<1_500 {
            try Task.checkCancellation()
            if LoopbackPort.accepts(port) { return }
            if hasEnded { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        let line = ProcFile.text(errors)?.split(whereSeparator: \.isNewline).last
        throw CommandError(
            "\(name) did not start to listen on port \(port)\(line.map { ": \($0)" } ?? ".")")
    }

    /// Whether it is a zombie or gone.
    private var hasEnded: Bool {
        guard let text = ProcFile.text("/proc/\(program.identifier)/stat"),
            let close = text.lastIndex(of: ")")
        else { return true }
        return text[close...].dropFirst(2).first == "Z"
    }

    /// The resolved path of the running program.
    static func ownPath() throws(CommandError) -> String {
        guard let path = realpath("/proc/self/exe", nil) else {
            throw CommandError("This program's own path can't be found: /proc is not mounted.")
        }
        defer { free(path) }
        return String(cString: path)
    }
}

extension MeasuredProgram {
    /// Starts a program that is bound to processors; nil is all. Blocks for about a millisecond.
    static func start(
        _ order: Order, on processors: Processors?
    ) throws(CommandError) -> MeasuredProgram {
        guard let processors else { return try start(order) }
        // The child inherits what its parent's thread is bound to.
        let before = Processors.allowed()
        processors.bindThisThread()
        defer { before.bindThisThread() }
        return try start(order)
    }
}

/// Ports of 127.0.0.1.
enum LoopbackPort {
    /// Returns a port that was free a moment ago.
    static func free() throws(CommandError) -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else {
            throw CommandError("No loopback port is free: \(String(cString: strerror(errno))).")
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Returns whether a server accepts connections.
    static func accepts(_ port: Int) -> Bool {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = address(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        return address
    }
}
