/// How the memory of the service is divided, in bytes. Pure.
///
/// The shares don't overlap. A byte belongs to a render, an original, an answer of an API, a cached thumbnail, a
/// response, an unsaved picture, a catalog's document, an idle child process, a connection over TLS or the
/// program. Busy children count for `imaging`, with the memory that they share with the service.
package struct MemoryShares: Sendable, Equatable {
    /// The total.
    package var budget: Int
    /// Running renders, including those in child processes.
    package var imaging: Int
    /// Originals that are received, queued or rendered, and answers of APIs that are received or read.
    package var originals: Int
    /// Thumbnails in memory.
    package var cache: Int
    /// Responses to clients that read slowly.
    package var responses: Int
    /// Pictures and rows that the disk did not take.
    package var unsaved: Int
    /// Idle child processes, ``idleChild`` each.
    package var children: Int
    /// Catalog pages, details of items, and responses of APIs: a thirty-second of the budget, at least
    /// ``leastCatalogs``.
    package var catalogs: Int
    /// Connections over TLS, ``encryptedConnection`` each. Plain ones have next to no memory of their own.
    package var connections: Int
    /// The rest: code, stacks, the index, and the process that starts children.
    package var program: Int
    /// Limit of idle children: one per 160 MiB of the budget, at most 8.
    package var idleChildren: Int

    /// The set shares leave too little of the budget for the program and the other shares.
    package struct Excess: Error, Equatable {
        package var budget: Int
        /// The sum that the settings need.
        package var needed: Int
    }

    /// The smallest default budget, in which a photograph of 12 megapixels fits.
    package static let leastBudget = 512 << 20
    /// The memory of the program before the first request. It grows with the budget, because threads
    /// grow with the machine.
    private static let leastProgram = 32 << 20
    private static let programDivisor = 32
    /// 32 MiB hold some twenty pages of 250 items, and some thousand items besides.
    package static let leastCatalogs = 32 << 20
    private static let catalogsDivisor = 32

    /// A default share: its weight, and its minimum.
    private struct Part {
        let weight: Int
        let least: Int
    }

    /// Memory of an idle child, including shared memory that it keeps.
    package static let idleChild = 10 << 20
    // A child for each of a handful of sources, and together at most a sixteenth of the budget.
    private static let mostIdleChildren = 8
    private static let budgetOfIdleChild = 160 << 20

    /// Memory of an idle connection over TLS: 12 KiB with HTTP/1.1, 27 KiB with HTTP/2.
    package static let encryptedConnection = 28 << 10
    private static let connectionsDivisor = 16

    // For 1 GiB, the default with 4 GB of memory: 472 MiB render a HEIC of 48 megapixels, or of 33
    // with 10 bits; 320 MiB hold an original of 256 MiB besides small ones.
    private static let imagingPart = Part(weight: 118, least: 64 << 20)
    private static let originalsPart = Part(weight: 80, least: 16 << 20)
    // Of a larger budget thumbnails get more: pictures are as large as before, but more of them are
    // in use. That is 229 MiB of 2 GiB and 1.7 GiB of 6 GiB.
    private static func cachePart(_ budget: Int) -> Part {
        Part(weight: 15 * min(max(1, budget >> 30), mostCacheWeight), least: 0)
    }
    private static let mostCacheWeight = 8
    // Of 1 GiB each of these is 24 MiB: some 800 thumbnails of 30 KB.
    private static let responsesPart = Part(weight: 6, least: 4 << 20)
    private static let unsavedPart = Part(weight: 6, least: 1 << 20)

    /// Divides the budget. Shares that are not given divide the rest.
    ///
    /// - Parameters:
    ///   - imaging: bytes that the operator set.
    ///   - cache: the same.
    ///   - encrypted: connections over TLS that are wanted. They get a sixteenth of the budget at most.
    package init(
        budget: Int, imaging: Int? = nil, cache: Int? = nil, encrypted: Int = 0
    ) throws(Excess) {
        self.budget = budget
        connections =
            min(encrypted, budget / Self.connectionsDivisor / Self.encryptedConnection)
            * Self.encryptedConnection
        program = max(Self.leastProgram, budget / Self.programDivisor)
        catalogs = max(Self.leastCatalogs, budget / Self.catalogsDivisor)
        idleChildren = min(Self.mostIdleChildren, budget / Self.budgetOfIdleChild)
        children = idleChildren * Self.idleChild
        let parts = [
            (imaging, Self.imagingPart), (nil, Self.originalsPart),
            (cache, Self.cachePart(budget)), (nil, Self.responsesPart), (nil, Self.unsavedPart),
        ]
        let fixed = program + catalogs + connections + children
        let needed = parts.map { $0.0 ?? $0.1.least }.reduce(fixed) { $0.addingClamped($1) }
        guard needed <= budget else { throw Excess(budget: budget, needed: needed) }
        let left = parts.reduce(budget - fixed) { $0 - ($1.0 ?? 0) }
        let shares = Self.divided(left, parts.map { $0.0 == nil ? $0.1 : nil })
        self.imaging = imaging ?? shares[0]
        originals = shares[1]
        self.cache = cache ?? shares[2]
        responses = shares[3]
        unsaved = shares[4]
    }

    /// Divides by weight. A share below its minimum gets the minimum, at the expense of the others.
    private static func divided(_ bytes: Int, _ parts: [Part?]) -> [Int] {
        var open = Set(parts.indices.filter { parts[$0] != nil })
        var shares = parts.map { _ in 0 }
        var left = bytes
        while true {
            let weights = open.reduce(0) { $0 + (parts[$1]?.weight ?? 0) }
            func byWeight(_ index: Int) -> Int {
                // Divided first, because the product may overflow. Whole MiB are easier to read.
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

extension Int {
    /// Returns the sum, or the nearest number there is.
    package func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        if !overflow { return sum }
        return other < 0 ? .min : .max
    }
}
