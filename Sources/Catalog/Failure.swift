package import FoundationEssentials

/// Why a request, or one candidate of an item's chain, comes to nothing.
///
/// It is made by the stage that knows, carried unchanged, and turned into a response or an exit
/// status once, at the edge. Catalog owns it because its sources are the first stage that can tell.
package struct Failure: Error, Sendable {
    /// The class decides how long a failure is remembered, which status a client sees, and whether
    /// something stored stands in. Raw values are in the index and in logs.
    package enum Kind: String, Sendable, CaseIterable {
        // Of a picture.

        /// The source says that there is no picture.
        case absent
        /// The origin could not be asked, or refused for now.
        case unavailable
        /// As `unavailable`, because the origin was too slow.
        case timedOut
        /// What came is not an image, is broken, or is over a limit.
        case rejected
        /// The URL leads where this service doesn't go.
        case refused

        // Of a catalog.

        /// The source has no such item, list or kind.
        case notFound
        /// The source is unreachable or failed: network, 429, 5xx, an unreadable response.
        case sourceUnavailable
        /// As `sourceUnavailable`, because the source was too slow.
        case sourceTimedOut
        /// Credentials or keys are missing or were rejected.
        case unconfigured

        // Of a request.

        /// It can't be meant: a malformed id, an unknown parameter, a term that is too short.
        case invalid
        case unknownLevel
        case unknownSource
        case unknownBlob
        /// A signed URL is not honored.
        case badSignature
        case sheetTooLarge

        // Of this service.

        /// A bounded queue is full.
        case overloaded
        case diskFull
        /// The cache directory can't be read or written.
        case storeUnusable
        /// Nothing that this service foresees.
        case unexpected
        /// The caller is gone, or the service is stopping.
        case canceled
    }

    package var kind: Kind
    /// One sentence for people, without secrets.
    package var reason: String
    /// The failure is remembered until then. In the past where nobody remembers it.
    package var until: Date
    /// Seconds after which asking again may help.
    package var retryAfter: Int?
    /// What the stage below reported.
    package var cause: (any Error)?

    package init(
        _ kind: Kind, _ reason: String, until: Date = .distantPast, retryAfter: Int? = nil,
        cause: (any Error)? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.until = until
        self.retryAfter = retryAfter
        self.cause = cause
    }
}

extension Failure {
    /// Whether asking again later may help.
    package var isTransient: Bool {
        switch kind {
        case .unavailable, .timedOut, .sourceUnavailable, .sourceTimedOut: true
        default: false
        }
    }

    /// Whether it says nothing about the requested thing, so that what is stored stays in use.
    package var leavesOpen: Bool { isTransient || kind == .unconfigured }

    /// Whether the caller asked for something that can't be meant.
    package var isBadRequest: Bool {
        switch kind {
        case .invalid, .unknownLevel, .unknownSource, .sheetTooLarge: true
        default: false
        }
    }

    /// The same of an item's picture, where a catalog failed that its candidates come from. Nil where
    /// the request itself or the configuration is at fault.
    package var ofPicture: Failure? {
        var failure = self
        switch kind {
        case .notFound: failure.kind = .absent
        case .sourceUnavailable: failure.kind = .unavailable
        case .sourceTimedOut: failure.kind = .timedOut
        case .absent, .unavailable, .timedOut, .rejected, .refused: break
        case .unconfigured, .invalid, .unknownLevel, .unknownSource, .unknownBlob, .badSignature,
            .sheetTooLarge, .overloaded, .diskFull, .storeUnusable, .unexpected, .canceled:
            return nil
        }
        return failure
    }

    /// The same with the unreadable part named before the reason.
    func naming(_ part: String) -> Failure {
        guard isTransient else { return self }
        var failure = self
        failure.reason = "\(part) can't be read: \(reason)"
        return failure
    }
}

// MARK: - Of catalogs

extension Failure {
    package static func invalid(reason: String) -> Failure { Failure(.invalid, reason) }

    package static func notFound(reason: String) -> Failure { Failure(.notFound, reason) }

    /// - Parameter reason: says what to configure.
    package static func unconfigured(reason: String) -> Failure { Failure(.unconfigured, reason) }

    /// Of a source that can't be asked.
    ///
    /// - Parameter retryAfter: seconds, as the source says.
    package static func unavailable(
        reason: String, timedOut: Bool = false, retryAfter: Int? = nil, cause: (any Error)? = nil
    ) -> Failure {
        Failure(
            timedOut ? .sourceTimedOut : .sourceUnavailable, reason, retryAfter: retryAfter,
            cause: cause)
    }

    package static let canceled = Failure(.canceled, "The request was canceled.")
}

/// Equal if they tell a caller the same; the cause is for logs.
extension Failure: Equatable {
    package static func == (one: Failure, other: Failure) -> Bool {
        one.kind == other.kind && one.reason == other.reason && one.until == other.until
            && one.retryAfter == other.retryAfter
    }
}

extension Failure: CustomStringConvertible {
    package var description: String { reason }
}
