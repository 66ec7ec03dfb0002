/// How the memory of the service is divided, in bytes. Pure.
///
/// The shares don't overlap: a byte is in a render, in an original, in a kept thumbnail, in a
/// response or in the program. Child processes live from `imaging`.
package struct MemoryShares: Sendable, Equatable {
    /// The whole.
    package var budget: Int
    /// Renders under way, those in child processes included.
    package var imaging: Int
    /// Originals in flight: being received, waiting for a render, being rendered.
    package var originals: Int
    /// Thumbnails kept for hits.
    package var cache: Int
    /// Responses under way to clients that read slowly.
    package var responses: Int
    /// The rest: code, stacks, the index, catalog pages.
    package var program: Int

    /// Shares that an operator set, in bytes; nil takes its part of what the others leave.
    package struct Given: Sendable, Equatable {
        package var imaging: Int?
        package var originals: Int?
        package var cache: Int?
        package var responses: Int?

        package init(
            imaging: Int? = nil, originals: Int? = nil, cache: Int? = nil, responses: Int? = nil
        ) {
            self.imaging = imaging
            self.originals = originals
            self.cache = cache
            self.responses = responses
        }
    }

    /// The shares that are set leave too little of the budget for the program and the other shares.
    package struct Excess: Error, Equatable {
        package var budget: Int
        /// What the settings would take together.
        package var needed: Int
    }

    /// No budget by default is smaller: a photograph of 12 megapixels has to fit.
    package static let leastBudget = 512 << 20
    /// The program takes this much before the first request, and more with the budget: threads, idle
    /// child processes and catalog pages grow with the machine.
    private static let leastProgram = 64 << 20
    private static let programDivisor = 16

    /// A share by default: its part of what the program leaves, and the least it works with.
    private struct Part {
        let weight: Int
        let least: Int
    }

    // Of 1 GiB, as 4 GB of memory have it: 512 MiB render a HEIC of 48 megapixels, 320 MiB hold an
    // original of 256 MiB beside small ones.
    private static let imagingPart = Part(weight: 16, least: 64 << 20)
    private static let originalsPart = Part(weight: 10, least: 16 << 20)
    private static let cachePart = Part(weight: 3, least: 0)
    private static let responsesPart = Part(weight: 1, least: 4 << 20)

    /// Divides the budget. Shares that are not set divide what the set ones leave.
    package init(budget: Int, _ given: Given = Given()) throws(Excess) {
        self.budget = budget
        program = max(Self.leastProgram, budget / Self.programDivisor)
        let parts = [
            (given.imaging, Self.imagingPart), (given.originals, Self.originalsPart),
            (given.cache, Self.cachePart), (given.responses, Self.responsesPart),
        ]
        let needed = parts.reduce(program) { sum, part in
            let (added, overflow) = sum.addingReportingOverflow(part.0 ?? part.1.least)
            return overflow ? .max : added
        }
        guard needed <= budget else { throw Excess(budget: budget, needed: needed) }
        let left = parts.reduce(budget - program) { $0 - ($1.0 ?? 0) }
        let shares = Self.divided(left, parts.map { $0.0 == nil ? $0.1 : nil })
        func share(_ index: Int) -> Int { parts[index].0 ?? shares[index] }
        imaging = share(0)
        originals = share(1)
        cache = share(2)
        responses = share(3)
    }

    /// By weight, but none gets less than its least: what it lacks comes from the others.
    private static func divided(_ bytes: Int, _ parts: [Part?]) -> [Int] {
        var open = Set(parts.indices.filter { parts[$0] != nil })
        var shares = parts.map { _ in 0 }
        var left = bytes
        while true {
            let weights = open.reduce(0) { $0 + (parts[$1]?.weight ?? 0) }
            func byWeight(_ index: Int) -> Int {
                // Divided first, because the product may not fit; whole MiB are easier to read.
                let bytes = left / max(1, weights) * (parts[index]?.weight ?? 0)
                return (bytes >> 20) << 20
            }
            let short = open.filter { byWeight($0) < parts[$0]?.least ?? 0 }
            if short.isEmpty {
                for index in open { shares[index] = byWeight(index) }
                return shares
            }
            for index in short {
                shares[index] = parts[index]?.least ?? 0
                left -= shares[index]
            }
            open.subtract(short)
        }
    }
}
