import Synchronization

/// Delays and failures for benchmarks; by default there are none.
final class FaultInjector: Sendable {
    private let configuration: DemoOriginConfiguration
    private let requests = Atomic<UInt64>(0)

    init(_ configuration: DemoOriginConfiguration) { self.configuration = configuration }

    /// Waits as long as an answer should take; then tells what goes wrong with this one, if anything.
    ///
    /// Which requests fail follows from the seed and their number alone.
    func next() async throws -> DemoAnswer? {
        let number = requests.wrappingAdd(1, ordering: .relaxed).oldValue
        var random = SeededRandom(seed: configuration.seed, 9, number)
        let jitter = configuration.jitter
        let wait = configuration.latency + jitter * (jitter > .zero ? random.fraction() : 0)
        if wait > .zero { try await Task.sleep(for: wait) }
        let (errorRate, tooManyRequests) = (
            configuration.errorRate, configuration.tooManyRequests
        )
        guard errorRate > 0 || tooManyRequests > 0 else { return nil }
        let chance = random.fraction()
        if chance < tooManyRequests {
            var answer = DemoAnswer.html("429 Too Many Requests", status: 429)
            answer.fields["Retry-After"] = "1"
            return answer
        }
        return chance < tooManyRequests + errorRate
            ? .html("503 Service Unavailable", status: 503) : nil
    }
}
