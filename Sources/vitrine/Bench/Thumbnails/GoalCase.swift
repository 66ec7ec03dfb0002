import App

/// One goal of rendering: this program beside the calls of libjpeg-turbo and libwebp, in turn in each
/// round.
struct GoalCase: BenchCase {
    enum Kind: Sendable {
        /// Processor time per picture in milliseconds; the goal is a factor of the limit.
        case processorTime(own: OutcomeCase, limit: OutcomeCase)
        /// Largest resident set in megabytes.
        case memory(OutcomeCase)
        /// Rate with two threads as a multiple of that with one; the goal is a distance to the limit's.
        case twoThreads(own: [OutcomeCase], limit: [OutcomeCase])
        /// What rendering in child processes adds to the processor time per picture, in milliseconds.
        case isolation(inside: OutcomeCase, isolated: OutcomeCase)
        /// Time of a program from its start to its end, in milliseconds.
        case program(ProgramCase)
    }

    var head: BenchRow.Head
    var kind: Kind
    var goal: Double?

    func round(_ number: Int) async throws -> BenchSample {
        switch kind {
        case .processorTime(let own, let limit):
            let (one, two) = (try await own.round(number), try await limit.round(number))
            let (measured, least) = (one["processor time"], two["processor time"])
            return sample(
                [
                    (.measured, measured), (.limit, least),
                    (.besideLimit, least > 0 ? measured / least : 0),
                ], of: [one, two])
        case .memory(let own):
            let one = try await own.round(number)
            return sample([(.measured, one["peak memory"])], of: [one])
        case .twoThreads(let own, let limit):
            var (mine, least) = ([BenchSample](), [BenchSample]())
            for one in own { mine.append(try await one.round(number)) }
            for one in limit { least.append(try await one.round(number)) }
            func gain(_ samples: [BenchSample]) -> Double {
                let rates = samples.map { $0["rate"] }
                return rates.count == 2 && rates[0] > 0 ? rates[1] / rates[0] : 0
            }
            return sample(
                [
                    (.gained, gain(mine)), (.limit, gain(least)),
                    (.besideLimit, gain(mine) - gain(least)),
                ], of: mine + least)
        case .isolation(let inside, let isolated):
            let (one, two) = (try await inside.round(number), try await isolated.round(number))
            return sample(
                [(.measured, two["processor time"] - one["processor time"])], of: [one, two])
        case .program(let program):
            let one = try await program.round(number)
            let rate = one["rate"]
            let milliseconds = rate > 0 ? Double(program.images) * 1_000 / rate : 0
            return sample([(.measured, milliseconds)], of: [one])
        }
    }

    func cleanUp() async {
        if case .program(let program) = kind { await program.cleanUp() }
    }

    private func sample(
        _ values: [(BenchQuantity, Double)], of samples: [BenchSample]
    ) -> BenchSample {
        BenchSample(
            values + (goal.map { [(.goal, $0)] } ?? []),
            errors: samples.reduce(0) { $0 + $1.errors },
            firstError: samples.compactMap(\.firstError).first)
    }
}

extension BenchSample {
    /// The value of a quantity; 0 without one.
    fileprivate subscript(_ name: String) -> Double {
        values.first { $0.quantity.name == name }?.value ?? 0
    }
}

extension BenchQuantity {
    fileprivate static let measured = Self(name: "measured", unit: "", better: .less)
    fileprivate static let gained = Self(name: "gained", unit: "×", better: .more, isWall: true)
    fileprivate static let limit = Self(name: "limit", unit: "", better: nil)
    fileprivate static let besideLimit = Self(name: "beside the limit", unit: "", better: nil)
    fileprivate static let goal = Self(name: "goal", unit: "", better: nil)
}
