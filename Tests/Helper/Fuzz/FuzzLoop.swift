import Synchronization

/// The loop over the inputs of a run. It keeps each one before it is tried, counts outcomes and faults,
/// and says how it goes.
final class FuzzLoop: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var faults = 0
    }

    let options: FuzzOptions
    private let current: CurrentInput
    private let state = Mutex(State())

    /// - Parameter current: the file in which the input is kept.
    init(_ options: FuzzOptions, _ current: String) throws {
        self.options = options
        self.current = try CurrentInput(current)
    }

    /// Calls `attempt` with the number of each input. Returns false if a fault was found.
    ///
    /// - Parameters:
    ///   - seeds: what inputs are made from, for people.
    ///   - step: inputs between two lines of progress.
    func run(
        _ seeds: String, sayingEvery step: Int, _ attempt: (Int) async throws -> Void
    ) async throws -> Bool {
        say("seed \(options.seed), \(seeds), \(options.count) inputs")
        let start = ContinuousClock.now
        var tried = 0
        for index in 0..<options.count {
            if let limit = options.limit, start.duration(to: .now) >= limit { break }
            tried += 1
            try await attempt(options.first + index)
            if index % step == step - 1 { say("\(index + 1): \(outcomes)") }
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        say(outcomes)
        say("\(Int(Double(tried) / seconds)) inputs/s, \(tried) in \(Int(seconds)) s")
        return state.withLock { $0.faults } == 0
    }

    /// Keeps an input for the process that watches this one.
    func keep(_ number: Int, _ input: [UInt8]) { current.write(number, input) }

    func count(_ outcome: String) { state.withLock { $0.counts[outcome, default: 0] += 1 } }

    func fault(_ number: Int, _ what: String) {
        state.withLock { $0.faults += 1 }
        say("FAULT input \(number): \(what)")
    }

    private var outcomes: String {
        state.withLock { $0.counts }.sorted { $0.value > $1.value }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
