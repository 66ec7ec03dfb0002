package import Catalog
import Fetch
import FoundationEssentials
import Store

/// What the operator wants forgotten.
package enum PurgeScope: Sendable, Equatable {
    case item(Item)
    /// All items of a source, with its pages and what its API told.
    case source(String)
    case all
}

/// What a purge did; the JSON answer has these names.
package struct PurgeReceipt: Sendable, Equatable, Codable {
    /// Whether what is stored was kept, out of date.
    package var soft: Bool
    /// Items concerned; those that were shown a picture that went are among them.
    package var items = 0
    package var originals = 0
    package var thumbnails = 0
    /// Catalogue documents.
    package var documents = 0
    /// Blobs removed from the disk.
    package var blobs = 0
}

extension MediaPipeline {
    /// Forgets pictures in every level and format, remembered failures and catalogue documents; with
    /// `soft` they are only out of date from now on: shown once more while they are asked for anew.
    ///
    /// A picture goes wherever it is shown, favourites included, which stay favourites. A walk under
    /// way may store again what it has in its hands.
    package func purge(
        _ scope: PurgeScope, soft: Bool = false
    ) async throws(PipelineError) -> PurgeReceipt {
        try await PipelineError.door { [self] in
            let mode: PurgeOrder.Mode = soft ? .soft(now()) : .hard
            let order = try order(scope, mode)
            let purge = try await stages.index.purge(order)
            var receipt = PurgeReceipt(soft: soft)
            receipt.items = purge.items.count
            receipt.originals = purge.originals
            receipt.thumbnails = purge.thumbnails
            receipt.documents = purge.documents
            // Memory after the index: what is loaded from there meanwhile is the new state.
            // What was read before is not published after.
            epochs.advanceAll()
            stages.catalog.forget(scope, order.isDocument)
            hits.removeAll { key in
                switch scope {
                case .all: true
                case .source(let name):
                    key.item.source == name || purge.items.contains("\(key.item)")
                case .item(let item):
                    key.item == item || purge.items.contains("\(key.item)")
                }
            }
            for digest in purge.orphans {
                try await stages.blobs.remove(digest)
                receipt.blobs += 1
            }
            return receipt
        }
    }

    /// `all`, a source's name, or `source/kind/id`.
    package func purgeScope(_ text: String) throws(PipelineError) -> PurgeScope {
        if text == "all" { return .all }
        guard text.contains("/") else { return .source(try sources.named(text).name) }
        guard let item = Item(text) else {
            throw .catalog(.invalid(reason: "“\(text)” is no item, such as tvmaze/show/1."))
        }
        return .item(try trustedItem(source: item.source, kind: item.kind, id: item.id))
    }

    private func order(
        _ scope: PurgeScope, _ mode: PurgeOrder.Mode
    ) throws(PipelineError) -> PurgeOrder {
        let items: PurgeOrder.Items
        let isDocument: @Sendable (String) -> Bool
        switch scope {
        case .item(let item):
            items = .item("\(item)")
            isDocument = { $0 == "item:\(item)" }
        case .source(let name):
            let source = try sources.named(name)
            items = .source(name)
            isDocument = { key in
                key.hasPrefix("item:\(name)/") || key.hasPrefix("page:\(name)/")
                    || source.owns(document: key)
            }
        case .all:
            items = .all
            isDocument = { _ in true }
        }
        return PurgeOrder(items: items, mode: mode, isDocument: isDocument) { trace in
            Trace(encoded: trace)?.steps.compactMap(\.url) ?? []
        }
    }
}

extension Source {
    /// Whether an answer of an API, kept under `api:` and its address, came from one of its hosts.
    fileprivate func owns(document key: String) -> Bool {
        guard key.hasPrefix("api:"), let host = URL(string: String(key.dropFirst(4)))?.host()
        else { return false }
        return hostPolicies.contains { $0.pattern.matches(host) }
    }
}
