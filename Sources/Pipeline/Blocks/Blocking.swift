package import Catalog
import FoundationEssentials
import Hashing
package import Store
import Threads

/// What became of a block or of its end. The JSON answer has these names.
package struct BlockReceipt: Sendable, Equatable, Codable {
    /// What is blocked, or not any more, and what follows from it.
    package var targets: [String]
    package var reason: String?
    /// What was removed; nil for the end of a block.
    package var purge: PurgeReceipt?
    /// The number of the change in the log of the fleet; nil for a single machine.
    package var sequence: UInt64?
    /// The nodes that are up, and whether each has done the same.
    package var nodes: [PurgeReceipt.Node]?
}

/// Blocks pictures and lets them be shown again: here, on the other nodes and in caches in front.
package struct Blocking: Sendable {
    /// Freed before a block is written again on a full disk: more than its row and SQLite's log take.
    private static let room = DiskUsage(bytes: 1 << 20, files: 4)
    /// Items that are blocked with a picture. More show one only if it stands for many, such as “no cover”.
    private static let mostFollowers = 500
    /// Characters of a reason.
    private static let longestReason = 500

    let blocks: Blocks
    let purge: Purge
    let pictures: Pictures
    let upkeep: Upkeep
    /// Nil for a single machine.
    let broadcast: (any PurgeBroadcast)?

    private var sources: Sources { pictures.context.sources }

    /// All blocks in force, the oldest first.
    package var all: [BlockRecord] { blocks.all }

    /// Every record, lifted ones included.
    package var records: [BlockRecord] { blocks.records }

    /// Returns the block of an item; nil without one.
    package func block(of item: Item) -> BlockRecord? { blocks.block(of: item) }

    /// Blocks what a text names. When this returns, nothing of it is shown here any more, and its bytes are
    /// gone from this node, the shared store and, once they were told, caches in front.
    ///
    /// - Throws: ``Failure`` of kind `invalid`, `unknownSource` or `notFound` for the text; `diskFull` and
    ///   `storeUnusable` if the block can't be written: it is not in force then.
    package func block(_ text: String, reason: String?) async throws(Failure) -> BlockReceipt {
        let reason = try Self.checked(reason)
        let target = try sources.blockTarget(text)
        return try await Failure.catching { [self] in
            let first = BlockRecord(target: target.text, reason: reason, changedAt: pictures.now())
            return try await put([first] + followers(of: target, first))
        }
    }

    private static func checked(_ reason: String?) throws(Failure) -> String? {
        guard let text = reason?.trimmed, !text.isEmpty else { return nil }
        guard text.count <= longestReason else {
            throw .invalid(reason: "A reason has at most \(longestReason) characters.")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .invalid(reason: "A reason has no control characters.") }
        return text
    }

    /// Ends a block. The picture is fetched again when it is requested.
    ///
    /// - Throws: as ``block(_:reason:)``; `notFound` if it is not blocked, `invalid` if the file of the settings
    ///   names it.
    package func unblock(_ text: String) async throws(Failure) -> BlockReceipt {
        let target = try self.target(text)
        guard blocks.record(of: target) != nil else {
            throw .notFound(reason: "\(target) is not blocked.")
        }
        if blocks.isInFile(target) {
            throw .invalid(
                reason: "\(target) is in the file that blocked names. Remove it there, and reload "
                    + "the settings.")
        }
        return try await Failure.catching { [self] in
            let now = pictures.now()
            let ended = blocks.records.filter {
                !$0.isLifted && ($0.target == target || $0.parent == target)
            }
            var receipt = try await lift(ended, at: now)
            try await tell(ended.map(\.target), &receipt)
            return receipt
        }
    }

    /// Does what another node has done, here alone.
    package func follow(_ records: [BlockRecord]) async throws(Failure) {
        try await Failure.catching { [self] in
            let known = Dictionary(
                blocks.records.map { ($0.target, $0) }, uniquingKeysWith: { _, last in last })
            let newer = records.filter { record in
                known[record.target].map { $0.isBefore(record) } ?? true
            }.map { record in
                // Its file is on the other node.
                var record = record
                if record.origin == .file { record.origin = .operators }
                return record
            }
            let put = newer.filter { !$0.isLifted }
            if !put.isEmpty {
                try await write(put)
                _ = try await purge.remove(
                    put.compactMap { BlockTarget(text: $0.target) }, isLocal: true)
            }
            let lifted = newer.filter(\.isLifted)
            if !lifted.isEmpty {
                try await write(lifted)
                await purge.forgetBlocked()
            }
        }
    }

    /// Returns the one form of what a text names.
    ///
    /// - Throws: as ``block(_:reason:)``.
    package func target(_ text: String) throws(Failure) -> String {
        // A source that named it once may be gone.
        if let known = blocks.record(of: text) { return known.target }
        return try sources.blockTarget(text).text
    }

    /// Puts in force what the file of the settings names, in this process alone.
    package func hold(file entries: [BlockEntry]) { blocks.setFile(records(of: entries)) }

    /// Sources that the settings don't have any more may be named.
    private func records(of entries: [BlockEntry]) -> [BlockRecord] {
        let now = pictures.now()
        return entries.map { entry in
            BlockRecord(
                target: (try? sources.blockTarget(entry.text))?.text ?? entry.text,
                reason: entry.reason, changedAt: now, origin: .file)
        }
    }

    /// Puts in force what the file of the settings names. What it names for the first time is removed
    /// everywhere; what it no longer names may be shown again.
    ///
    /// - Throws: ``Failure`` of the kinds of a failed store. It is in force in this process all the same.
    package func take(file entries: [BlockEntry]) async throws(Failure) {
        let now = pictures.now()
        let wanted = records(of: entries)
        try await Failure.catching { [self] in
            let targets = Set(wanted.map(\.target))
            let gone = blocks.records.filter {
                $0.origin == .file && !$0.isLifted && !targets.contains($0.target)
            }
            blocks.setFile(wanted)
            let new = blocks.unrecorded(wanted)
            if !new.isEmpty { _ = try await put(new) }
            if !gone.isEmpty {
                var receipt = try await lift(gone, at: now)
                try await tell(gone.map(\.target), &receipt)
            }
        }
    }

    // MARK: - Steps

    /// Returns the blocks that follow from one: the original of a blocked thumbnail, the items that show a
    /// blocked URL or original now, whose other candidates show the same, and the URL of a row of a list.
    private func followers(
        of target: BlockTarget, _ first: BlockRecord
    ) async throws -> [BlockRecord] {
        var targets: [BlockTarget] = []
        switch target {
        case .digest(let digest):
            targets = try await purge.index.originals(ofThumbnail: digest).map(BlockTarget.digest)
            targets += try await shown(target)
        case .url: targets = try await shown(target)
        case .item(let item) where item.kind == ListSource.kind:
            let kept = await pictures.pictured(item)
            targets = [SignedURL.shownURL(of: kept).map(BlockTarget.url)].compactMap(\.self)
        case .item, .prefix: break
        }
        var known: Set<BlockTarget> = [target]
        return targets.filter {
            known.insert($0).inserted && blocks.record(of: $0.text) == nil
        }.map {
            BlockRecord(
                target: $0.text, reason: first.reason, changedAt: first.changedAt, origin: .derived,
                parent: first.target)
        }
    }

    /// Returns what shows a URL or an original now: items, or the URLs by which pictures are kept.
    private func shown(_ target: BlockTarget) async throws -> [BlockTarget] {
        try await purge.items(showing: target).prefix(Self.mostFollowers).map { item in
            SignedURL.shownURL(of: item).map(BlockTarget.url) ?? .item(item)
        }
    }

    /// Writes blocks, puts them in force, and removes what they name, everywhere.
    private func put(_ records: [BlockRecord]) async throws -> BlockReceipt {
        let targets = records.compactMap { BlockTarget(text: $0.target) }
        do throws(StoreError) {
            try await write(records)
        } catch {
            guard case .diskFull = error else { throw error }
            // What is blocked goes in any case, and other pictures can be made again.
            _ = try await purge.remove(targets, isLocal: false)
            _ = try await upkeep.makeRoom(Self.room)
            try await write(records)
        }
        var receipt = BlockReceipt(
            targets: records.map(\.target), reason: records.first?.reason)
        let removed: (receipt: PurgeReceipt, items: Set<String>)
        do {
            removed = try await purge.remove(targets, isLocal: false)
        } catch {
            // The shared store can't be reached. The block is in force, and the nodes learn of it.
            _ = try await purge.remove(targets, isLocal: true)
            try await tell(records.map(\.target), &receipt)
            throw error
        }
        receipt.purge = removed.receipt
        try await tell(records.map(\.target), &receipt)
        // Last, so that no node answers a cache with what it has not removed yet.
        purge.tellCaches(of: targets, removed.items)
        return receipt
    }

    /// Writes records, and puts them in force. Other processes notice the purge that follows.
    private func write(_ records: [BlockRecord]) async throws(StoreError) {
        try await blocks.write(records)
    }

    private func lift(_ records: [BlockRecord], at now: Date) async throws -> BlockReceipt {
        let lifted = records.map { record in
            var record = record
            (record.isLifted, record.changedAt) = (true, now)
            return record
        }
        try await write(lifted)
        await purge.forgetBlocked()
        purge.tellCaches(of: lifted.compactMap { BlockTarget(text: $0.target) })
        return BlockReceipt(targets: lifted.map(\.target))
    }

    /// Tells the other nodes of the records of these targets as they are now.
    private func tell(_ targets: [String], _ receipt: inout BlockReceipt) async throws {
        guard let broadcast else { return }
        let told = try await broadcast.tell(blocks.records.filter { targets.contains($0.target) })
        receipt.sequence = told.sequence
        receipt.nodes = told.nodes
    }
}

extension BlockRecord {
    /// Whether another record of its target is later. Databases round dates.
    fileprivate func isBefore(_ other: BlockRecord) -> Bool {
        other.changedAt.timeIntervalSince(changedAt) > 0.001
    }
}

/// What the file of the settings names.
package struct BlockEntry: Sendable, Equatable {
    /// An item, a URL, the beginning of items with a `*`, or a digest.
    package var text: String
    package var reason: String?

    package init(text: String, reason: String?) {
        self.text = text
        self.reason = reason
    }
}
