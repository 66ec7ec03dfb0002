import Fetch
import Foundation
import Glibc
import Serve
import TestSupport
import Testing

@testable import Console
@testable import vitrine

/// What the service manager gives to the service, and what the service tells it.
@Suite(.timeLimit(.minutes(1))) struct SystemdTests {
    @Test(
        arguments: [
            ([:], nil), (["LISTEN_FDS": "1"], nil), (["LISTEN_FDS": "1", "LISTEN_PID": "8"], nil),
            (["LISTEN_FDS": "1", "LISTEN_PID": "7"], 1),
            (["LISTEN_FDS": "0", "LISTEN_PID": "7"], nil),
            (["LISTEN_FDS": "2", "LISTEN_PID": "7"], 2),
            (["LISTEN_FDS": "1", "LISTEN_PID": ""], nil),
        ] as [([String: String], Int?)])
    func `only sockets passed to this process are used`(environment: [String: String], count: Int?)
        throws
    {
        #expect(try InheritedSocket.count(environment, process: 7) == count)
    }

    @Test(arguments: [
        ("2", "2 sockets were given by LISTEN_FDS, and one is served; "),
        ("many", "LISTEN_FDS is “many”; expected a number."),
    ])
    func `an invalid inherited socket is reported in one sentence`(count: String, sentence: String)
        throws
    {
        let environment = ["LISTEN_FDS": count, "LISTEN_PID": "\(getpid())"]
        let error = #expect(throws: CommandError.self) {
            try InheritedSocket.take(environment)
        }
        #expect(error?.status == .configuration)
        #expect(error?.description.hasPrefix(sentence) == true)
    }

    @Test(
        arguments: [
            ([:], nil), (["WATCHDOG_USEC": "3000000"], .milliseconds(1_500)),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], .milliseconds(1_500)),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "soon"], nil),
        ] as [([String: String], Duration?)])
    func `the watchdog is notified twice per interval`(
        environment: [String: String], interval: Duration?
    ) {
        #expect(SystemdWatch.interval(environment, process: 7) == interval)
    }

    @Test func `a service that doesn't answer itself tells the watchdog nothing`() async throws {
        let origin = try await OriginServer.start(.plain)
        let watch = SystemdWatch(SystemdNotice([:]), [:]) { true }
        #expect(await watch.works())
        let address = ListenAddress(host: "127.0.0.1", port: origin.port)
        await watch.ready(1, asking: HealthCheck(address))
        for (reply, works) in [(OriginReply.html("ok"), true), (.status(503), false)] {
            origin.on("/healthz", reply)
            #expect(await watch.works() == works)
        }
        await origin.stop()
        #expect(await !watch.works())
        let stuck = SystemdWatch(SystemdNotice([:]), [:]) { false }
        #expect(await !stuck.works())
    }

    @Test(arguments: ["vsock:2:1234", "relative", "/" + String(repeating: "a", count: 108)])
    func `an invalid notify socket is reported`(address: String) throws {
        #expect(throws: CommandError.self) {
            try SystemdNotice(["NOTIFY_SOCKET": address]).send("READY=1")
        }
        try SystemdNotice([:]).send("READY=1")
    }

    @Test func `a systemd service uses the given socket and reports ready, alive and stopping`()
        async throws
    {
        let notices = try NoticeSocket()
        let maze = try await PlayedTVMaze(shows: 1)
        let port = try LoopbackPort()
        let socket = FileHandle(fileDescriptor: try port.socket(), closeOnDealloc: true)
        try #require(listen(socket.fileDescriptor, 16) == 0)
        let running = try RunningExecutable(
            ["serve", "--port", "1", "--admin-address", "127.0.0.1:0"] + maze.options,
            in: maze.directory.path,
            environment: ["NOTIFY_SOCKET": notices.name, "WATCHDOG_USEC": "200000"],
            socket: socket)
        #expect(await notices.next() == "READY=1\nSTATUS=Serving on port \(port.number).")
        #expect(await notices.next() == "WATCHDOG=1")
        let picture = "http://127.0.0.1:\(port.number)/t/s/tvmaze/show/1"
        #expect(try await PlayedTVMaze.get(picture).status == 200)
        running.signal(SIGTERM)
        var last = await notices.next()
        while last == "WATCHDOG=1", !Task.isCancelled { last = await notices.next() }
        #expect(last == "STOPPING=1")
        #expect(await running.status() == 0)
    }
}

/// The other end of notices: a local datagram socket with a name without a file.
final class NoticeSocket: Sendable {
    /// As in `NOTIFY_SOCKET`.
    let name = "@vitrine-test-\(UUID().uuidString)"
    private let file: CInt

    init() throws {
        file = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(name.utf8.dropFirst())
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, length) }
        }
        guard file >= 0, bound == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        // A notice that never comes fails a test instead of hanging it.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            file, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(file) }

    /// The next one; empty where none comes within a minute.
    func next() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                var bytes = [UInt8](repeating: 0, count: 4_096)
                let count = recv(file, &bytes, bytes.count, 0)
                continuation.resume(
                    returning: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }
}
