package import Catalog
import FoundationEssentials
import Store

/// What became of items that were to be pinned; the JSON answer has these names.
package struct PinReceipt: Sendable, Equatable, Codable {
    package var pinned = 0
    /// Pinned before.
    package var known = 0
    /// Items that don't fit into the part of the budget for pins.
    package var refused: [String] = []
    /// Bytes of all pinned thumbnails now, and their limit.
    package var bytes = 0
    package var limit = 0

    package init() {}
}

/// Items whose thumbnails are not evicted. Favorites are, too, as long as there is room.
package struct Pins: Sendable {
    let userData: UserData
    let upkeep: Upkeep
    let pictures: Pictures

    /// Returns the item of a text such as `tvmaze/show/1`.
    package func item(_ text: String) throws(Failure) -> Item {
        try pictures.context.sources.item(text)
    }

    /// Pins items, each as long as the thumbnails of all fit into the part of the budget that pins may take.
    package func pin(_ items: [Item]) async throws(Failure) -> PinReceipt {
        try await Failure.catching { [self] in
            var receipt = PinReceipt()
            // The size of a picture that a client has seen is known once it is stored.
            await pictures.settled()
            try await upkeep.refreshPins()
            for item in items {
                guard try await upkeep.protect(await pictures.pictured(item).description) else {
                    receipt.refused.append("\(item)")
                    continue
                }
                if try await userData.pin(["\(item)"], at: pictures.now()) > 0 {
                    receipt.pinned += 1
                } else {
                    receipt.known += 1
                }
            }
            receipt.bytes = upkeep.pins.load.bytes
            receipt.limit = upkeep.pinLimit
            return receipt
        }
    }

    /// Returns how many of the items were pinned. Their thumbnails stay until room is needed.
    package func unpin(_ items: [Item]) async throws(Failure) -> Int {
        try await Failure.catching { [self] in
            let removed = try await userData.unpin(items.map(\.description))
            try await upkeep.refreshPins()
            return removed
        }
    }

    /// Returns whether the thumbnails of one more item fit, and protects them.
    func protect(_ item: Item) async throws -> Bool {
        let kept = await pictures.pictured(item)
        await pictures.settled { $0 == kept }
        return try await upkeep.protect(kept.description)
    }

    /// Returns the pinned items whose thumbnails an earlier layout had, and this one has to make again.
    package func leftBehind() async throws(Failure) -> [Item] {
        try await Failure.catching { [self] in
            try await upkeep.pinsLeftBehind().compactMap { Item($0) }
        }
    }

    /// Ends the protection that a favorite had, unless it is pinned.
    func release() async throws { try await upkeep.refreshPins() }
}

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
