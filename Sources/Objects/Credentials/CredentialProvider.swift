package import FoundationEssentials

/// The credentials in force for a store: those of the settings, or temporary ones that an endpoint of
/// the machine gives.
///
/// Temporary ones are fetched again before they expire. Concurrent callers share a request.
package actor CredentialProvider {
    package typealias Load = @Sendable () async throws(ObjectError) -> S3Credentials

    /// Nil for credentials that never change.
    private let load: Load?
    private let now: @Sendable () -> Date
    private var known: S3Credentials?
    private var loading: Task<Result<S3Credentials, ObjectError>, Never>?
    private var failedAt: Date?

    /// Seconds before the expiry from which on new ones are fetched. AWS issues them 5 minutes ahead.
    static let margin: TimeInterval = 300
    /// Seconds between two tries while the old ones still work.
    static let pause: TimeInterval = 10

    package init(now: @escaping @Sendable () -> Date, load: @escaping Load) {
        self.load = load
        self.now = now
    }

    /// - Parameter fixed: nil for a store that needs none.
    package init(_ fixed: S3Credentials?) {
        load = nil
        now = { Date() }
        known = fixed
    }

    /// Returns nil for a store that needs none.
    func credentials() async throws(ObjectError) -> S3Credentials? {
        guard let load else { return known }
        guard let known else { return try await refreshed(load) }
        guard let end = known.expiresAt, end.timeIntervalSince(now()) < Self.margin else {
            return known
        }
        if end > now() {
            if let failedAt, now().timeIntervalSince(failedAt) < Self.pause { return known }
            do throws(ObjectError) {
                return try await refreshed(load)
            } catch {
                // They work until they expire.
                return known
            }
        }
        return try await refreshed(load)
    }

    /// The store refused these because they expired. Returns whether others may follow.
    func expire(_ credentials: S3Credentials) -> Bool {
        guard load != nil else { return false }
        if known == credentials { known = nil }
        return true
    }

    private func refreshed(_ load: @escaping Load) async throws(ObjectError) -> S3Credentials {
        if let loading { return try await loading.value.get() }
        // Unstructured, because several callers wait for it, and each may be canceled.
        let task = Task { () -> Result<S3Credentials, ObjectError> in
            do throws(ObjectError) {
                return .success(try await load())
            } catch {
                return .failure(error)
            }
        }
        loading = task
        let result = await task.value
        loading = nil
        switch result {
        case .success(let credentials):
            known = credentials
            failedAt = nil
        case .failure: failedAt = now()
        }
        return try result.get()
    }
}
