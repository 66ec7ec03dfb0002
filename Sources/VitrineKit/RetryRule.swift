import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// When a failed request is sent again: the rule that the service itself has towards origins.
///
/// Faults of the connection and the statuses 408, 425, 429 and 5xx are retried three times. A pause is random
/// between zero and a bound, which doubles; a `Retry-After` of the service is honored.
public struct RetryRule: Sendable, Hashable {
    /// Attempts in total, including the first.
    public var attempts = 4
    /// Seconds; the bound of the first pause.
    public var basePause = 0.25
    /// Seconds. A longer `Retry-After` ends the retries: people don't wait longer for a picture.
    public var longestRetryAfter = 60

    public init() {}

    /// Every request is sent once.
    public static var never: RetryRule {
        var rule = RetryRule()
        rule.attempts = 1
        return rule
    }

    /// Returns whether another attempt may get another status.
    public static func isTemporary(_ status: Int) -> Bool {
        [408, 425, 429].contains(status) || (500...599).contains(status)
    }

    /// Returns the seconds before the next attempt; nil if the error is final.
    ///
    /// - Parameters:
    ///   - error: of attempt number `attempt`, counted from one.
    ///   - random: between 0 and 1.
    public func pause(
        after attempt: Int, _ error: any Error, random: Double = .random(in: 0..<1)
    ) -> Double? {
        guard attempt < attempts else { return nil }
        let bound = basePause * Double(1 << min(attempt - 1, 30))
        guard let problem = error as? Problem else {
            return Self.isOfConnection(error) ? bound * random : nil
        }
        guard Self.isTemporary(problem.status) else { return nil }
        guard let asked = problem.retryAfter else { return bound * random }
        // Without the random part all clients would come back at the same moment.
        return asked > longestRetryAfter ? nil : Double(asked) + basePause * random
    }

    private static func isOfConnection(_ error: any Error) -> Bool {
        guard let error = error as? URLError else { return false }
        switch error.code {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
            .dnsLookupFailed, .notConnectedToInternet, .cannotLoadFromNetwork, .badServerResponse:
            return true
        default: return false
        }
    }

    /// Returns what `attempt` returns, and calls it again as long as the rule says so.
    ///
    /// - Throws: the last error; `CancellationError` at once when the task is canceled.
    public func run<Value: Sendable>(
        _ attempt: @Sendable () async throws -> Value
    ) async throws -> Value {
        var number = 1
        while true {
            do {
                return try await attempt()
            } catch {
                try Task.checkCancellation()
                guard let pause = pause(after: number, error) else { throw error }
                try await Task.sleep(nanoseconds: UInt64(pause * 1_000_000_000))
                number += 1
            }
        }
    }
}
