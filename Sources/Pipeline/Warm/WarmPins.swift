import Catalog

/// Pins the items of a run whose pictures are stored, some at a time.
actor WarmPins {
    /// All pins are read for each call.
    private static let batch = 100

    private let pins: Pins
    private var waiting: [Item] = []
    private var receipt = PinReceipt()

    init(_ pins: Pins) { self.pins = pins }

    func add(_ item: Item) async throws {
        waiting.append(item)
        if waiting.count >= Self.batch { try await pin() }
    }

    /// Pins the rest and returns what became of all.
    func finish() async throws -> PinReceipt {
        try await pin()
        return receipt
    }

    private func pin() async throws {
        let items = waiting
        waiting = []
        if items.isEmpty { return }
        let new = try await pins.pin(items)
        receipt.pinned += new.pinned
        receipt.known += new.known
        receipt.refused += new.refused
        (receipt.bytes, receipt.limit) = (new.bytes, new.limit)
    }
}
