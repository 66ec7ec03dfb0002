import App
import Catalog
import Console
import Glibc
import HTTP
import Logging
import Pipeline
import Serve

/// One run of the HTTP service until a signal or ``stop()`` ends it.
struct ServerRun: Sendable {
    private let server: Server
    private let assembly: Assembly
    private let reload: Reload?
    private let watch: SystemdWatch?
    private let settings: Settings
    private let stopAsked: AsyncStream<Void>
    private let askToStop: AsyncStream<Void>.Continuation

    /// `onRunning` is called with the ports once connections are accepted, see ``Server``. `socket` is a listening
    /// socket that replaces the settings' address. The server owns it.
    init(
        _ assembly: Assembly, _ settings: Settings, tls: TLSIdentity? = nil,
        reload: Reload? = nil, watch: SystemdWatch? = nil, socket: CInt? = nil,
        onRunning: @escaping @Sendable (_ port: Int, _ admin: Int?) async -> Void
    ) {
        var serving = assembly.serverConfiguration(settings)
        serving.tls = tls
        serving.socket = socket
        server = Server(
            assembly.pipeline, serving,
            logger: Logger(label: "vitrine.http"),
            onRunning: onRunning)
        self.settings = settings
        self.assembly = assembly
        self.reload = reload
        self.watch = watch
        (stopAsked, askToStop) = AsyncStream.makeStream()
    }

    /// Returns when all running requests are finished or exceeded the limit.
    func run() async throws {
        let signals = await ProcessSignals.of(SIGTERM, SIGINT)
        let stopping = Task {
            for await _ in signals { stop() }
        }
        let helpers = [
            Task { if let watch { await watch.run() } },
            Task { if let reload { await reload.run(apply) } },
        ]
        defer { for task in helpers + [stopping] { task.cancel() } }
        do {
            try await serve {
                for task in helpers { task.cancel() }
                for task in helpers { await task.value }
                await watch?.stopping()
            }
        } catch ServingFailure.socket(let code, let address) {
            let option = address == settings.adminAddress ? "--admin-address" : "--port"
            throw Self.sentence(code, address, option: option)
        } catch let error as ServingFailure {
            throw CommandError("\(error)")
        }
    }

    /// Has requests answered with other settings from now on.
    private var apply: Reload.Apply {
        { [assembly, server] last, fresh, commit in
            try assembly.reload(from: last, to: fresh, commit: commit)
            assembly.pipeline.blocking.hold(file: fresh.blocked)
            // Unstructured, because other settings don't wait for what it removes.
            Task {
                do throws(Failure) {
                    try await assembly.takeBlocks(fresh)
                } catch {
                    Logger(label: "vitrine.reload").error(
                        "What the file of blocks names can't be removed everywhere.",
                        metadata: ["reason": "\(error)"])
                }
            }
            server.reload(assembly.serverConfiguration(fresh))
        }
    }

    private enum Event {
        case stopAsked, ended, late
    }

    /// - Parameter beforeStop: called once the server is to stop.
    private func serve(_ beforeStop: @escaping @Sendable () async -> Void) async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask {
                try await server.run()
                return .ended
            }
            group.addTask {
                for await _ in stopAsked {}
                return .stopAsked
            }
            while let event = try await group.next() {
                switch event {
                case .stopAsked:
                    await beforeStop()
                    server.stop()
                    let limit = settings.shutdownTimeout
                    group.addTask {
                        // Sleep throws on cancellation, which ends the time, too.
                        try? await Task.sleep(for: limit)
                        return .late
                    }
                case .ended, .late:
                    // Requests that took longer than the limit are cut off as configured.
                    return group.cancelAll()
                }
            }
        }
    }

    /// Accepts no new connections and finishes running requests.
    func stop() { askToStop.finish() }

    /// Returns why listening failed, and what to do.
    ///
    /// - Parameter option: names the place on the command line.
    static func sentence(
        _ code: CInt, _ address: ListenAddress, option: String
    ) -> CommandError {
        let (host, port) = (address.host, address.port)
        return switch code {
        case EADDRINUSE:
            CommandError(
                "Port \(port) on \(host) is already in use. Choose another with \(option).")
        case EACCES:
            CommandError(
                "Listening on \(address) is not permitted. Choose a port above 1023 with "
                    + "\(option).")
        case EADDRNOTAVAIL:
            CommandError(
                "\(host) is not an address of this machine. Choose another with "
                    + "\(option == "--port" ? "--host" : option).")
        default:
            CommandError(
                "Listening on \(address) failed: \(String(cString: strerror(code))).")
        }
    }
}
