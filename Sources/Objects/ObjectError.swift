/// Why a shared store didn't do what it was asked.
///
/// `description` is one sentence for people, without credentials.
package enum ObjectError: Error, Equatable {
    /// The store can't be reached, is too slow or is overloaded. A later try may succeed.
    case unavailable(reason: String)
    /// The store rejects the credentials, or they don't allow this.
    case forbidden(reason: String)
    /// The bucket doesn't exist, or the endpoint is not such a store.
    case misconfigured(reason: String)
    /// The bytes don't have the digest that they should have, and were not stored.
    case damaged(reason: String)
    case tooLarge(limit: Int)
    case canceled
}

extension ObjectError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let reason): "The shared store is unavailable: \(reason)"
        case .forbidden(let reason): "The shared store refuses access: \(reason)"
        case .misconfigured(let reason): "The shared store can't be used: \(reason)"
        case .damaged(let reason): "The shared store refused the bytes: \(reason)"
        case .tooLarge(let limit): "An object of the shared store has more than \(limit) bytes."
        case .canceled: "The request to the shared store was canceled."
        }
    }

    /// For a label of a metric.
    package var word: String {
        switch self {
        case .unavailable: "unavailable"
        case .forbidden: "forbidden"
        case .misconfigured: "misconfigured"
        case .damaged: "damaged"
        case .tooLarge: "too-large"
        case .canceled: "canceled"
        }
    }

    /// Whether the same request may succeed later without a change of the settings.
    package var isTransient: Bool {
        if case .unavailable = self { true } else { false }
    }
}
