import Catalog
package import FoundationEssentials
import Store

/// Why an item, or one candidate of it, shows no picture: the class decides how long that is
/// remembered and which status a client sees.
package struct Failure: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// The source says that there is no picture.
        case absent
        /// The origin could not be asked, or refused for now.
        case unavailable
        /// As `unavailable`, and the reason was slowness.
        case timedOut
        /// What came is not an image, is broken, or is over a limit.
        case rejected
        /// The URL leads where this service doesn't go.
        case refused
    }

    package var kind: Kind
    /// One sentence, without secrets.
    package var reason: String
    /// Remembered until then.
    package var until: Date

    package init(kind: Kind, reason: String, until: Date) {
        self.kind = kind
        self.reason = reason
        self.until = until
    }

    /// Whether asking again later may help.
    package var isTransient: Bool { kind == .unavailable || kind == .timedOut }
}

extension Failure.Kind {
    /// What a catalog's error says about an item's picture; nil if the request itself is at fault.
    init?(_ error: CatalogError) {
        switch error {
        case .absent: self = .absent
        case .unavailable(_, let timedOut, _): self = timedOut ? .timedOut : .unavailable
        case .unconfigured, .invalid, .cancelled: return nil
        }
    }
}

extension Failure {
    /// The one failure that stands for a whole chain in which every candidate failed.
    ///
    /// An unavailable origin never becomes "absent": anything transient outweighs the rest, then
    /// what was rejected, then what was refused. It is remembered as long as the shortest part of
    /// its class.
    static func combined(_ failures: [Failure]) -> Failure? {
        let weight: [Kind] = [.unavailable, .timedOut, .rejected, .refused, .absent]
        for kind in weight {
            let ofKind = failures.filter { $0.kind == kind }
            if let first = ofKind.min(by: { $0.until < $1.until }) { return first }
        }
        return nil
    }
}

extension FailureRecord {
    init(_ failure: Failure) {
        self.init(kind: failure.kind.rawValue, reason: failure.reason, until: failure.until)
    }
}

extension Failure {
    /// `nil` where the record holds a kind that this program doesn't know: then it is as if nothing
    /// had been remembered.
    init?(_ record: FailureRecord) {
        guard let kind = Kind(rawValue: record.kind) else { return nil }
        self.init(kind: kind, reason: record.reason, until: record.until)
    }
}
