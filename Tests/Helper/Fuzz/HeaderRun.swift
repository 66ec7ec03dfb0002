import Glibc
import Imaging

/// The loop over headers: each input through everything that the service reads of an original in its
/// own process, before a decoder has it. No input may trap, or take long.
struct HeaderRun {
    /// Processor time for one input of some kilobytes.
    #if DEBUG
        private static let limit: Duration = .milliseconds(200)
    #else
        private static let limit: Duration = .milliseconds(5)
    #endif

    private let loop: FuzzLoop
    private let probe = HeaderProbe(ImagingConfiguration())

    init(_ options: FuzzOptions, _ current: String) throws {
        loop = try FuzzLoop(options, current)
    }

    /// Whether nothing was found.
    func run() async throws -> Bool {
        let seeds = try await HeaderSeeds.all(with: loop.options.directory)
        let mutator = Mutator(seeds.map(\.bytes), seed: loop.options.seed)
        return try await loop.run("\(seeds.count) headers", sayingEvery: 1_000_000) { number in
            let (input, seed) = mutator.mutated(number)
            loop.keep(number, input)
            let began = ContinuousClock.now
            read(input, as: seeds[seed].format, number)
            if began.duration(to: .now) > Self.limit {
                checkTime(input, seeds[seed].format, number)
            }
        }
    }

    private func read(_ input: [UInt8], as expected: ImageFormat, _ number: Int) {
        do throws(ImagingError) {
            let told = try probe.format(of: input)
            if told != expected { try probe.read(input, as: told) }
        } catch {
            check(error, number)
        }
        do throws(ImagingError) {
            try probe.read(input, as: expected)
            loop.count("read")
        } catch {
            loop.count(error.kind)
            check(error, number)
        }
    }

    private func check(_ error: ImagingError, _ number: Int) {
        if case .misconfigured = error { loop.fault(number, error.description) }
        // Words take ten times as long as numbers.
        guard number % 16 == 0, !FuzzRun.isForPeople(error.description) else { return }
        loop.fault(number, "not a sentence: \(error.description)")
    }

    /// A busy machine makes everything slow once, but not the processor time of each of three tries.
    private func checkTime(_ input: [UInt8], _ format: ImageFormat, _ number: Int) {
        let took = (0..<3).map { _ in
            let began = Self.processorTime
            read(input, as: format, number)
            return Self.processorTime - began
        }
        guard let least = took.min(), least > Self.limit else { return }
        loop.fault(number, "takes \(least / .milliseconds(1)) ms")
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
