import App
import FoundationEssentials

/// Hits over TLS, made by `h2load`.
struct SecureCase: BenchCase {
    enum Version: String, CaseIterable {
        case http1 = "tls"
        case http2

        var note: String {
            switch self {
            case .http1: "TLS and HTTP/1.1, 64 connections, made by h2load."
            case .http2: "TLS, 8 connections with 16 streams each, made by h2load."
            }
        }

        fileprivate var arguments: [String] {
            switch self {
            case .http1: ["--h1", "--clients", "64", "--max-concurrent-streams", "1"]
            case .http2: ["--clients", "8", "--max-concurrent-streams", "16"]
            }
        }
    }

    let head: BenchRow.Head
    let version: Version
    let server: ServerProcess
    /// Path of the program.
    let h2load: String
    let paths: [String]
    let seconds: Int
    let processors: Processors?
    let scratch: String

    func round(_ number: Int) async throws -> BenchSample {
        let list = "\(scratch)/h2load-\(server.port)"
        let text = paths.map { "https://127.0.0.1:\(server.port)\($0)\n" }.joined()
        try await FileThreads.run { try Data(text.utf8).write(to: URL(fileURLWithPath: list)) }
        var order = MeasuredProgram.Order(
            h2load,
            version.arguments + [
                "--input-file", list, "--threads", "1", "--duration",
                "\(number < 1 ? 1 : seconds)",
            ])
        order.output = .file(list + "-out")
        order.errors = .file(list + "-errors")
        let command = order
        let before = await FileThreads.run { server.processorTime() }
        let program = try await FileThreads.run { [processors] () throws(CommandError) in
            try MeasuredProgram.start(command, on: processors)
        }
        let end = await program.wait()
        try Task.checkCancellation()
        let spent = await FileThreads.run { server.processorTime() } - before
        let output = ProcFile.text(list + "-out") ?? ""
        guard end.status == 0, let summary = H2LoadSummary(output), summary.done > 0 else {
            throw CommandError(
                "h2load got no response, or its output is another one than expected.")
        }
        return BenchSample(
            [
                (.rate("requests/s"), summary.rate),
                (.processorTime("µs/request"), spent / Double(summary.done) * 1e6),
                (.perCore, spent > 0 ? Double(summary.done) / spent : 0),
                (.generator, end.processor / end.wall * 100),
            ], errors: summary.failed,
            firstError: summary.failed > 0 ? "h2load counted \(summary.failed) failures." : nil)
    }
}

/// What `h2load` prints at its end. Pure.
struct H2LoadSummary: Equatable {
    var rate: Double
    /// Responses.
    var done: Int
    /// Requests without a good response.
    var failed: Int

    /// Nil if the text has no summary.
    init?(_ text: String) {
        var rate: Double?
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "," }
            if line.hasPrefix("finished in "), let unit = words.firstIndex(of: "req/s"), unit > 0 {
                rate = Double(words[unit - 1])
            } else if line.hasPrefix("requests:") || line.hasPrefix("status codes:") {
                // A number and then what it counts: "1234 succeeded, 0 failed".
                for (number, name) in zip(words, words.dropFirst()) {
                    if let count = Int(number) { counts[String(name)] = count }
                }
            }
        }
        guard let rate, let done = counts["done"], let good = counts["2xx"] else { return nil }
        self.rate = rate
        self.done = done
        failed = max(done - good, (counts["failed"] ?? 0) + (counts["timeout"] ?? 0))
    }
}
