/// How the memory of the service is divided, in bytes. Pure.
///
/// The shares don't overlap: a byte is in a render, in an original, in a kept thumbnail, in a
/// response, in a picture that waits for the disk, in an idle child process or in the program. Children
/// at work live from `imaging`, with the memory that they share with the service.
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
    /// Pictures and rows kept while the disk takes nothing.
    package var unsaved: Int
    /// Child processes that wait for a picture: ``idleChild`` each.
    package var children: Int
    /// The rest: code, stacks, the index, catalog pages, the process that starts children.
    package var program: Int
    /// How many children may wait for a picture.
    package var idleChildren: Int

    /// Shares that an operator set, in bytes but for the children, which are counted; nil takes its part of what the others leave.
    package struct Given: Sendable, Equatable {
        package var imaging: Int?
        package var originals: Int?
        package var cache: Int?
        package var responses: Int?
        package var unsaved: Int?
        /// nil is one for each 160 MiB of the budget, and 8 at most.
        package var idleChildren: Int?

        package init(
            imaging: Int? = nil, originals: Int? = nil, cache: Int? = nil, responses: Int? = nil,
            unsaved: Int? = nil, idleChildren: Int? = nil
        ) {
            self.imaging = imaging
            self.originals = originals
            self.cache = cache
            self.responses = responses
            self.unsaved = unsaved
            self.idleChildren = idleChildren
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
    /// The program takes this much before the first request, and more with the budget: threads and
    /// catalog pages grow with the machine.
    private static let leastProgram = 64 << 20
    private static let programDivisor = 16

    /// A share by default: its part of what the program leaves, and the least it works with.
    private struct Part {
        let weight: Int
        let least: Int
    }

    /// Memory of a child that waits: its own, and what stays of the memory it shares.
    package static let idleChild = 10 << 20
    private static let mostIdleChildren = 8
    private static let budgetOfIdleChild = 160 << 20

    // Of 1 GiB, as 4 GB of memory have it: 472 MiB render a HEIC of 48 megapixels, or one of 33 with
    // 10 bits; 320 MiB hold an original of 256 MiB beside small ones.
    private static let imagingPart = Part(weight: 118, least: 64 << 20)
    private static let originalsPart = Part(weight: 80, least: 16 << 20)
    private static let cachePart = Part(weight: 15, least: 0)
    private static let responsesPart = Part(weight: 6, least: 4 << 20)
    private static let unsavedPart = Part(weight: 6, least: 1 << 20)

    /// Divides the budget. Shares that are not set divide what the set ones leave.
    package init(budget: Int, _ given: Given = Given()) throws(Excess) {
        self.budget = budget
        program = max(Self.leastProgram, budget / Self.programDivisor)
        idleChildren =
            given.idleChildren ?? min(Self.mostIdleChildren, budget / Self.budgetOfIdleChild)
        let (children, overflow) = idleChildren.multipliedReportingOverflow(by: Self.idleChild)
        self.children = overflow ? .max : children
        let parts = [
            (given.imaging, Self.imagingPart), (given.originals, Self.originalsPart),
            (given.cache, Self.cachePart), (given.responses, Self.responsesPart),
            (given.unsaved, Self.unsavedPart),
        ]
        let needed = parts.map { $0.0 ?? $0.1.least }.reduce(
            Self.sum(program, self.children), Self.sum)
        guard needed <= budget else { throw Excess(budget: budget, needed: needed) }
        let left = parts.reduce(budget - program - self.children) { $0 - ($1.0 ?? 0) }
        let shares = Self.divided(left, parts.map { $0.0 == nil ? $0.1 : nil })
        func share(_ index: Int) -> Int { parts[index].0 ?? shares[index] }
        imaging = share(0)
        originals = share(1)
        cache = share(2)
        responses = share(3)
        unsaved = share(4)
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
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
