import Logging
import Store

/// Originals that have arrived and were not rendered yet. They are stored at once, or with their
/// thumbnails, so that no later run downloads them again.
///
/// A stored picture keeps its record until the new bytes have proved to be a picture. They have one
/// beside it until then.
extension Originals {
    /// Stores and records an original before it is rendered. It counts as unproven until then.
    ///
    /// - Parameters:
    ///   - known: the record that it replaces.
    ///   - again: whether the blob of that record is gone.
    /// - Throws: ``StoreError``.
    func store(
        _ original: inout Original, replacing known: OriginalRecord?, again: Bool
    ) async throws {
        if let blob = original.unstored { try await blobs.keep([blob]) }
        original.isUnstored = false
        if let known, let digest = known.digest {
            if digest == original.digest {
                original.record.width = known.width
                original.record.height = known.height
                original.record.format = known.format
            } else if !again, !known.isUnproven {
                original.isBesideStored = true
            }
        }
        var record = original.record
        if original.isBesideStored { record.url = Self.arrivedName(of: record.url) }
        try await index.record(record)
        logger.debug(
            "original stored",
            metadata: [
                "digest": "\(original.digest)",
                "host": "\(metrics.hosts.name(of: original.record.url))",
            ])
    }

    /// Stores an original that was to be rendered soon, and was not.
    func storeUnrendered(_ original: inout Original) async throws {
        guard original.isUnstored else { return }
        try await store(&original, replacing: nil, again: false)
    }

    /// Removes the record beside that of the stored picture: the original was published or rejected.
    func settle(_ original: Original) async throws {
        guard original.isBesideStored else { return }
        try await index.withdraw(original.digest, of: Self.arrivedName(of: original.record.url))
    }

    /// Returns new bytes that arrived and were not rendered before their process ended, if there are
    /// any.
    func unrendered(_ url: String) async throws -> Original? {
        guard var record = try await index.original(url: Self.arrivedName(of: url)),
            let digest = record.digest,
            freshness.believed(record.freshUntil, since: record.fetchedAt, now: now()) > now(),
            try await blobs.contains(digest)
        else { return nil }
        record.url = url
        return Original(
            digest: digest, record: record, provenance: .stored, note: "stored",
            isBesideStored: true)
    }

    /// The name of a record beside that of the stored picture. No candidate has a fragment.
    static func arrivedName(of url: String) -> String { url + arrivedMark }

    static let arrivedMark = "#arrived"
}

extension OriginalRecord {
    /// Whether the bytes have arrived and were never rendered.
    var isUnproven: Bool { digest != nil && format.isEmpty }
}
