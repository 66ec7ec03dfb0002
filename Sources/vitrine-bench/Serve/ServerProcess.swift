import App
import Console
import FoundationEssentials
import Glibc
import Threads

/// A server under load: this program or a peer, in a process of its own on a loopback port.
struct ServerProcess: Sendable {
    let port: Int
    let program: MeasuredProgram

    /// Starts a server and returns once it accepts connections.
    ///
    /// - Parameter order: the command for a port; its standard error goes to a file in `scratch`.
    static func start(
        _ name: String, scratch: String,
        _ order: (_ port: Int) async throws -> MeasuredProgram.Order
    ) async throws -> ServerProcess {
        let port = try LoopbackPort.free()
        var order = try await order(port)
        let errors = "\(scratch)/\(name)-\(port).log"
        order.errors = errors
        let server = ServerProcess(port: port, program: try await MeasuredProgram.start(order))
        do {
            // A connection tells it best; no server here has another sign that all of them have.
            for _ in 0..<1_500 {
                if LoopbackPort.accepts(port) { return server }
                if server.hasEnded { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            let line = ProcFile.text(errors)?.split(whereSeparator: \.isNewline).last
            throw CommandError(
                "\(name) did not start to listen on port \(port)\(line.map { ": \($0)" } ?? ".")")
        } catch {
            await server.stop()
            throw error
        }
    }

    /// The service with a cache.
    static func vitrine(
        _ context: BenchContext, cache: String, _ environment: [String: String],
        on processors: Processors? = nil
    ) async throws -> ServerProcess {
        try await start("vitrine", scratch: context.scratch) { port in
            var order = context.vitrine(["serve"])
            order.arguments += ["--host", "127.0.0.1", "--port", "\(port)", "--cache", cache]
            order.environment = environment
            order.processors = processors
            return order
        }
    }

    /// Runs the body with a new server, which is stopped afterwards.
    static func withNew<Value>(
        _ start: () async throws -> ServerProcess, _ body: (ServerProcess) async throws -> Value
    ) async throws -> Value {
        let server = try await start()
        return try await withEnd(server.stop) { try await body(server) }
    }

    func stop() async { await program.stop(within: 15) }

    /// Returns what `body` returns, and the processor time that a process and its children spend meanwhile,
    /// in seconds; 0 without a process.
    static func spent<Value: Sendable>(
        by process: pid_t?, during body: () async throws -> Value
    ) async throws -> (value: Value, seconds: Double) {
        guard let process else { return (try await body(), 0) }
        let before = await FileThreads.run { ProcessUsage.family(of: process) }
        let value = try await body()
        return (value, await FileThreads.run { ProcessUsage.family(of: process) } - before)
    }

    func residentBytes() async -> Int {
        await FileThreads.run { ProcessUsage.residentBytes(of: program.identifier) }
    }

    /// Whether it is a zombie or gone.
    private var hasEnded: Bool {
        guard let text = ProcFile.text("/proc/\(program.identifier)/stat"),
            let close = text.lastIndex(of: ")")
        else { return true }
        return text[close...].dropFirst(2).first == "Z"
    }

    /// Returns the process that listens on a port, the first of its family if children do, too. Nil if
    /// there is none, or if this user may not look at it.
    static func listening(on port: Int) -> pid_t? {
        // Sockets that listen come first; after a benchmark there are megabytes of others. A machine
        // without IPv6 or /proc lacks a table.
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap {
            try? LocalFile.head($0, count: 1 << 20)
        }
        let sockets = tables.reduce(into: Set<String>()) {
            $0.formUnion(listening(on: port, table: String(decoding: $1, as: UTF8.self)))
        }
        guard !sockets.isEmpty else { return nil }
        let tree = ProcessTree.now()
        let holders = tree.entries.map(\.identifier).filter { process in
            let directory = "/proc/\(process)/fd"
            // Processes of other users can't be looked at.
            return ((try? LocalFile.names(in: directory)) ?? []).contains { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(directory)/\(name)")
                return target.map(sockets.contains) ?? false
            }
        }
        return tree.first(of: holders).map { pid_t($0) }
    }

    /// Returns the sockets that listen on a port, as `socket:[INODE]`, from a table as proc(5)
    /// describes it.
    static func listening(on port: Int, table: String) -> Set<String> {
        let state = "0A"
        var found: Set<String> = []
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == state,
                let own = fields[1].split(separator: ":").last, Int(own, radix: 16) == port
            else { continue }
            found.insert("socket:[\(fields[9])]")
        }
        return found
    }
}

/// Ports of 127.0.0.1.
enum LoopbackPort {
    /// Returns a port that was free a moment ago.
    static func free() throws(CommandError) -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        let isBound = with(0, &address) { pointer, length in
            var length = length
            return bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
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
        var address = sockaddr_in()
        return with(port, &address) { connect(socket, $0, $1) == 0 }
    }

    private static func with(
        _ port: Int, _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
