import ArgumentParser
import Demo
import Foundation
import Threads

struct OriginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "origin",
        abstract: "Answer like the real catalogs on a loopback port, with invented contents.",
        discussion: """
            Prints one line of JSON once it listens: how to reach it under the names of the real \
            services, and what it shows. Runs until SIGINT, SIGTERM, or, with --until-eof, until \
            standard input ends.
            """)

    @Option(help: ArgumentHelp("Port on 127.0.0.1; 0 takes any free one.", valueName: "port"))
    var port = 0

    @Option(help: ArgumentHelp("Shows to invent.", valueName: "n"))
    var shows = 300

    @Option(help: ArgumentHelp("Seed of everything that is invented.", valueName: "n"))
    var seed: UInt64 = DemoOriginConfiguration().seed

    @Option(help: ArgumentHelp("Milliseconds before each answer.", valueName: "ms"))
    var latency = 0

    @Option(
        help: ArgumentHelp(
            "Further milliseconds before each answer, evenly drawn from 0 to this.",
            valueName: "ms"))
    var jitter = 0

    @Option(
        help: ArgumentHelp(
            "plain is HTTP/1.1, tls HTTP/1.1 over TLS, http2 HTTP/2 over TLS.", valueName: "how"))
    var transport = DemoOriginConfiguration.Transport.http2

    @Option(
        help: ArgumentHelp(
            "Directory whose files are shown at pictures.example/0/NAME, and as numbered copies "
                + "at /1/NAME and so on.", valueName: "dir"))
    var pictures: String?

    @Option(
        help: ArgumentHelp(
            "File that gets a line for each request: nanoseconds, host, path.", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("Share of requests answered with 503, 0 to 1.", valueName: "share"))
    var errorRate = 0.0

    @Option(help: ArgumentHelp("Share of requests answered with 429, 0 to 1.", valueName: "share"))
    var tooManyRequests = 0.0

    @Flag(help: "Stop when standard input ends: the program that started it is gone.")
    var untilEof = false

    func validate() throws {
        if !(1...20_000).contains(shows) {
            throw ValidationError("--shows is \(shows); expected 1 to 20000.")
        }
        if !(0...65_535).contains(port) {
            throw ValidationError("--port is \(port); expected 0 to 65535.")
        }
        for (name, value) in [("--latency", latency), ("--jitter", jitter)]
        where !(0...60_000).contains(value) {
            throw ValidationError("\(name) is \(value); expected 0 to 60000 milliseconds.")
        }
        if ![errorRate, tooManyRequests].allSatisfy({ (0...1).contains($0) }) {
            throw ValidationError("--error-rate and --too-many-requests are shares from 0 to 1.")
        }
    }

    func run() async throws {
        var configuration = DemoOriginConfiguration()
        configuration.port = port
        configuration.shows = shows
        configuration.seed = seed
        configuration.latency = .milliseconds(latency)
        configuration.jitter = .milliseconds(jitter)
        configuration.transport = transport
        configuration.pictures = pictures
        configuration.log = log
        configuration.errorRate = errorRate
        configuration.tooManyRequests = tooManyRequests
        let origin = DemoOrigin(configuration)
        let running = try await origin.start()
        try FileHandle.standardOutput.write(
            contentsOf: JSONEncoder().encode(running) + Data("\n".utf8))
        // Signals end the process at once: there is nothing to put in order.
        let (end, continuation) = AsyncStream<Never>.makeStream()
        if untilEof {
            await FileThreads.run { while !FileHandle.standardInput.availableData.isEmpty {} }
            continuation.finish()
        }
        for await _ in end {}
        await origin.stop()
    }
}

extension DemoOriginConfiguration.Transport: ExpressibleByArgument {}
