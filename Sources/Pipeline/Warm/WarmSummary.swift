package import Catalog

/// The result of a warm run. The JSON summary has these names.
package struct WarmSummary: Sendable, Equatable, Codable {
    /// Items processed.
    package var items = 0
    /// Originals downloaded and stored.
    package var originals = 0
    /// Bytes of originals that were transferred, including unusable ones.
    package var bytesFetched = 0
    /// Thumbnails rendered.
    package var thumbnails = 0
    /// Thumbnails that were stored already.
    package var reused = 0
    /// Items without a usable picture: absent, or every candidate is broken.
    package var placeholders = 0
    /// Items whose picture isn't the first choice.
    package var fallbacks = 0
    /// Items to retry, because an origin or this service failed.
    package var failed = 0
    package var seconds = 0.0

    package init() {}
}

/// How one item of a warm run ended.
package struct WarmedItem: Sendable {
    package enum Ending: Sendable, Equatable {
        case picture
        case placeholder(reason: String)
        case failed(reason: String)
    }

    package var item: Item
    package var ending: Ending
}

extension WarmSummary {
    mutating func count(_ warmed: WarmedItem, _ result: MissResult?) {
        items += 1
        switch warmed.ending {
        case .picture: fallbacks += result?.trace.fellBack == true ? 1 : 0
        case .placeholder: placeholders += 1
        case .failed: failed += 1
        }
        guard let result else { return }
        originals += result.originalsFetched
        bytesFetched += result.bytesFetched
        thumbnails += result.thumbnails
        reused += result.reused
    }
}
