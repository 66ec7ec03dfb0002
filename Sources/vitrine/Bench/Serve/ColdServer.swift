import App
import Fetch
import FoundationEssentials
import Memory

/// Starts this program as a server with an empty cache, as often as a row needs one.
struct ColdServer: Sendable {
    /// Settings with which it reaches the origin, and the key of the paths.
    let environment: [String: String]
    /// The options with which it has the same settings as this process.
    let options: [String]
    let scratch: String

    /// Runs the body with a server that has nothing in its cache. Stops it and removes the cache
    /// afterwards, whatever happens.
    func with<Value: Sendable>(
        _ body: (ServerProcess) async throws -> Value
    ) async throws -> Value {
        let cache = "\(scratch)/cold-\(UUID().uuidString)"
        let server = try await ServerProcess.vitrine(
            cache: cache, options: options, environment: environment, scratch: scratch)
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(server))
        } catch {
            outcome = .failure(error)
        }
        await server.stop()
        try await FileThreads.run { try FileManager.default.removeItem(atPath: cache) }
        return try outcome.get()
    }

    /// Returns how often a server asked its origin for a picture, retries included.
    static func downloads(_ server: ServerProcess) async throws -> Int {
        let pages = try await ServedPictures.collect(
            ["/metrics"], port: server.port, concurrency: 1)
        return MetricLines.sum(
            of: "vitrine_fetch_attempts_total",
            in: String(decoding: pages.first?.body ?? [], as: UTF8.self))
    }
}

/// Prometheus text. Pure.
enum MetricLines {
    /// Returns the sum of a metric over all its labels; 0 if it isn't there.
    static func sum(of name: String, in text: String) -> Int {
        text.split(separator: "\n").filter { line in
            line.hasPrefix(name) && ["{", " "].contains(line.dropFirst(name.count).first)
        }.compactMap { line in line.split(separator: " ").last.flatMap { Double($0) } }
            .reduce(0) { $0 + Int($1) }
    }
}

/// A herd: many clients ask for one cold picture at the same moment.
struct HerdCase: BenchCase {
    let head: BenchRow.Head
    let cold: ColdServer
    let request: LoadRequest
    let clients: Int

    func round(_ number: Int) async throws -> BenchSample {
        try await cold.with { server in
            var plan = LoadPlan(port: server.port, requests: [request])
            plan.limit = clients
            plan.connections = clients
            plan.length = .seconds(300)
            plan.checkEvery = 1
            let before = await FileThreads.run { server.processorTime() }
            let outcome = try await plan.run()
            let spent = await FileThreads.run { server.processorTime() } - before
            let downloads = try await ColdServer.downloads(server)
            return Self.sample(
                outcome, spent: spent, downloads: downloads, clients: clients)
        }
    }

    /// - Parameters:
    ///   - spent: processor time in seconds.
    ///   - downloads: how often the picture was fetched.
    static func sample(
        _ outcome: LoadOutcome, spent: Double, downloads: Int, clients: Int
    ) -> BenchSample {
        var sample = BenchSample(
            [
                (
                    BenchQuantity(name: "last response", unit: "ms", better: .less, isWall: true),
                    Double(outcome.nanoseconds) / 1e6
                ),
                (.processorTime("ms"), spent * 1e3),
                (BenchQuantity(name: "downloads", unit: "", better: .less), Double(downloads)),
            ], latencies: outcome.latency, errors: outcome.errors, firstError: outcome.firstError)
        sample.expect(
            downloads == 1,
            "\(clients) clients caused \(downloads) downloads of one picture; expected 1.")
        return sample
    }
}
