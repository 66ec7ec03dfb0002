package import FoundationEssentials

/// Why a request, or one candidate of an item's chain, failed.
///
/// The stage that knows the reason creates it. It is passed on unchanged, and converted to a
/// response or an exit status once, at the edge. Catalog owns the type because its sources are the
/// first stage.
package struct Failure: Error, Sendable {
    /// The kind decides how long a failure is remembered, which status a client sees, and whether a
    /// stored picture or document is used instead. The index and the logs contain the raw values.
    package enum Kind: String, Sendable, CaseIterable {
        // Of a picture.

        /// The source says that the item has no picture.
        case absent
        /// The origin is unreachable or failed.
        case unavailable
        /// Like `unavailable`, because the origin was too slow.
        case timedOut
        /// The origin sent something that is not an image, is broken, or exceeds a limit.
        case rejected
        /// Like `rejected`, but more bytes may be on their way: a file that was changed lately, or a body that
        /// ended without a length. Clients don't keep it.
        case unfinished
        /// The URL leads to a host or an address that this service must not contact.
        case refused
        /// The operator has blocked the picture, and says why.
        case withheld
        /// The operator has blocked the picture.
        case gone

        // Of a catalog.

        /// The source has no such item, list or kind.
        case notFound
        /// The source is unreachable or failed: network, 429, 5xx, an unreadable response.
        case sourceUnavailable
        /// Like `sourceUnavailable`, because the source was too slow.
        case sourceTimedOut
        /// Credentials or keys are missing or were rejected.
        case unconfigured

        // Of a request.

        /// The request is invalid: a malformed id, an unknown parameter, a term that is too short.
        case invalid
        case unknownLevel
        case unknownSource
        case unknownBlob
        /// A signed URL has a wrong or expired signature.
        case badSignature
        case sheetTooLarge

        // Of this service.

        /// A bounded queue is full.
        case overloaded
        /// Too many parts of one picture were made in too short a time.
        case tooMany
        case diskFull
        /// The cache directory can't be read or written.
        case storeUnusable
        /// A fault that this service doesn't foresee.
        case unexpected
        /// The caller canceled the request, or the service is stopping.
        case canceled
    }

    package var kind: Kind
    /// One sentence for people, without secrets.
    package var reason: String
    /// Until when the failure is remembered; `distantPast` if it is not remembered.
    package var until: Date
    /// Seconds after which a retry may succeed.
    package var retryAfter: Int?
    /// The error of the stage below.
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
    /// Whether a later retry may succeed.
    package var isTransient: Bool {
        switch kind {
        case .unavailable, .timedOut, .unfinished, .sourceUnavailable, .sourceTimedOut: true
        default: false
        }
    }

    /// Whether the failure says nothing about the requested item, so that stored data stays in use.
    package var leavesOpen: Bool { isTransient || kind == .unconfigured }

    /// Whether the request itself is invalid.
    package var isBadRequest: Bool {
        switch kind {
        case .invalid, .unknownLevel, .unknownSource, .sheetTooLarge: true
        default: false
        }
    }

    /// The failure of an item's picture that follows from this failure of its catalog. Nil if the
    /// request, the configuration or this service is at fault.
    package var ofPicture: Failure? {
        var failure = self
        switch kind {
        case .notFound: failure.kind = .absent
        case .sourceUnavailable: failure.kind = .unavailable
        case .sourceTimedOut: failure.kind = .timedOut
        case .absent, .unavailable, .timedOut, .rejected, .unfinished, .refused, .withheld, .gone:
            break
        case .unconfigured, .invalid, .unknownLevel, .unknownSource, .unknownBlob, .badSignature,
            .sheetTooLarge, .overloaded, .tooMany, .diskFull, .storeUnusable, .unexpected,
            .canceled:
            return nil
        }
        return failure
    }

    /// Returns the failure with the unreadable part named before the reason, if it is transient.
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

    /// Returns the failure of a name that its owner doesn't know, with the name that was probably meant,
    /// or with all that there are.
    ///
    /// - Parameter sentence: its begin, such as `TVmaze has no list`.
    static func notFound(
        _ sentence: String, _ name: String, among known: [String]
    ) -> Failure {
        let meant = NearestName.of(name, among: known)
        let rest =
            meant.map { "did you mean “\($0)”?" }
            ?? "it has \(known.map { "“\($0)”" }.listed(by: "and"))."
        return Failure(.notFound, "\(sentence) “\(name.shortened)”; \(rest)")
    }

    /// - Parameter reason: says what to configure.
    package static func unconfigured(reason: String) -> Failure { Failure(.unconfigured, reason) }

    /// Returns the failure of a source that is unreachable or failed.
    ///
    /// - Parameter retryAfter: seconds that the source asks clients to wait.
    package static func unavailable(
        reason: String, timedOut: Bool = false, retryAfter: Int? = nil, cause: (any Error)? = nil
    ) -> Failure {
        Failure(
            timedOut ? .sourceTimedOut : .sourceUnavailable, reason, retryAfter: retryAfter,
            cause: cause)
    }

    package static let canceled = Failure(.canceled, "The request was canceled.")
}

/// Failures are equal if a caller sees no difference. The cause is not compared.
extension Failure: Equatable {
    package static func == (one: Failure, other: Failure) -> Bool {
        one.kind == other.kind && one.reason == other.reason && one.until == other.until
            && one.retryAfter == other.retryAfter
    }
}

extension Failure: CustomStringConvertible {
    package var description: String { reason }
}
