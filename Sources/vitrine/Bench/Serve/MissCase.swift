import App
import Memory

/// Requests for pictures that the server has not made yet, one after the other.
struct MissLoad: Sendable {
    let requests: [LoadRequest]

    /// Loads a server with an empty cache.
    func run(_ server: ServerProcess) async throws -> BenchSample {
        let before = await FileThreads.run { server.processorTime() }
        let outcome = try await plan(server.port).run()
        let spent = await FileThreads.run { server.processorTime() } - before
        let resident = await FileThreads.run { server.residentBytes() }
        return Self.sample(outcome, spent: spent, resident: resident)
    }

    private func plan(_ port: Int) -> LoadPlan {
        var plan = LoadPlan(port: port, requests: requests)
        plan.order = .inTurn
        plan.limit = requests.count
        plan.length = .seconds(300)
        // Enough to keep every core busy while others wait for their origin.
        plan.connections = 2 * MachineProcessors.count() + 2
        plan.checkEvery = 1
        return plan
    }

    /// - Parameters:
    ///   - spent: processor time in seconds.
    ///   - resident: bytes of memory after the last response.
    static func sample(_ outcome: LoadOutcome, spent: Double, resident: Int) -> BenchSample {
        let pictures = Double(max(1, outcome.responses))
        var values = [
            (BenchQuantity.rate("pictures/s"), outcome.rate),
            (.processorTime("ms/picture"), spent / pictures * 1e3),
        ]
        if let latency = outcome.latency.summary {
            values += [50, 95].compactMap { percentile in
                latency[percentile].map { (.latency(percentile), $0) }
            }
        }
        values.append((.memory, Double(resident) / 1e6))
        return BenchSample(
            values, latencies: outcome.latency, errors: outcome.errors,
            firstError: outcome.firstError)
    }
}

/// Misses: every request is for a picture that was never asked for.
struct MissCase: BenchCase {
    let head: BenchRow.Head
    let cold: ColdServer
    let load: MissLoad

    func round(_ number: Int) async throws -> BenchSample {
        try await cold.with { server in
            let sample = try await load.run(server)
            return Self.checked(
                sample, pictures: load.requests.count,
                downloads: try await ColdServer.downloads(server))
        }
    }

    /// Counts an error if something came from a cache.
    static func checked(_ sample: BenchSample, pictures: Int, downloads: Int) -> BenchSample {
        var sample = sample
        sample.expect(
            downloads >= pictures,
            "\(pictures) pictures caused only \(downloads) downloads: some came from a cache.")
        return sample
    }
}

/// The same pictures by another program, started for every round.
struct PeerMissCase: BenchCase {
    let head: BenchRow.Head
    let peer: ServePeer
    let program: String
    let place: ServePeer.Place
    let load: MissLoad

    func round(_ number: Int) async throws -> BenchSample {
        let server = try await peer.start(program, place)
        let outcome: Result<BenchSample, any Error>
        do {
            outcome = .success(try await load.run(server))
        } catch {
            outcome = .failure(error)
        }
        await server.stop()
        return try outcome.get()
    }
}

/// Width and height from the head of a JPEG (ITU-T T.81, annex B). Pure.
struct JPEGSize: Sendable, Equatable {
    var width: Int
    var height: Int

    /// Nil if the bytes are not a JPEG with a frame.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xff, 0xd8]) else { return nil }
        func number(at place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
        var place = 2
        // A marker, two bytes of length, and for a frame: precision, height, width.
        while place + 9 <= bytes.count, bytes[place] == 0xff {
            let marker = bytes[place + 1]
            if (0xc0...0xcf).contains(marker), ![0xc4, 0xc8, 0xcc].contains(marker) {
                (height, width) = (number(at: place + 5), number(at: place + 7))
                return
            }
            place += 2 + number(at: place + 2)
        }
        return nil
    }
}

extension BenchQuantity {
    /// Resident memory of the server and its children after the round.
    static let memory = Self(name: "memory", unit: "MB", better: .less)
}
