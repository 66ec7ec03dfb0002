import Glibc
import Imaging

/// The loop over headers: each input through everything that the service reads of an original in its
/// own process, before a decoder has it. No input may trap, or take long.
final class HeaderRun {
    /// Processor time for one input of some kilobytes.
    #if DEBUG
        private static let limit: Duration = .milliseconds(200)
    #else
        private static let limit: Duration = .milliseconds(5)
    #endif

    private let options: FuzzOptions
    private let current: CurrentInput
    private let probe = HeaderProbe(ImagingConfiguration())
    private var counter = OutcomeCounter()
    private var faults = 0

    init(_ options: FuzzOptions, _ current: String) throws {
        self.options = options
        self.current = try CurrentInput(current)
    }

    /// Whether nothing was found.
    func run() async throws -> Bool {
        let seeds = try await HeaderSeeds.all(with: options.directory)
        let mutator = Mutator(seeds.map(\.bytes), seed: options.seed)
        say("seed \(options.seed), \(seeds.count) headers, \(options.count) inputs")
        let start = ContinuousClock.now
        for index in 0..<options.count {
            let number = options.first + index
            let (input, seed) = mutator.mutated(number)
            current.write(number, input)
            let began = ContinuousClock.now
            read(input, as: seeds[seed].format, number)
            if began.duration(to: .now) > Self.limit {
                checkTime(input, seeds[seed].format, number)
            }
            if index % 1_000_000 == 999_999 { say("\(index + 1): \(counter.description)") }
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        say(counter.description)
        say("\(Int(Double(options.count) / seconds)) inputs/s, \(Int(seconds)) s")
        return faults == 0
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
            counter.add("read")
        } catch {
            counter.add(OutcomeCounter.kind(error))
            check(error, number)
        }
    }

    private func check(_ error: ImagingError, _ number: Int) {
        if case .misconfigured = error { fault(number, error.description) }
        // Words take ten times as long as numbers.
        guard number % 16 == 0, !FuzzRun.isForPeople(error.description) else { return }
        fault(number, "not a sentence: \(error.description)")
    }

    /// A busy machine makes everything slow once, but not the processor time of each of three tries.
    private func checkTime(_ input: [UInt8], _ format: ImageFormat, _ number: Int) {
        let took = (0..<3).map { _ in
            let began = Self.processorTime
            read(input, as: format, number)
            return Self.processorTime - began
        }
        guard let least = took.min(), least > Self.limit else { return }
        fault(number, "takes \(least / .milliseconds(1)) ms")
    }

    private func fault(_ number: Int, _ what: String) {
        faults += 1
        say("FAULT input \(number): \(what)")
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
