package import Catalog
import Imaging
import Objects
import Store

extension Failure {
    /// Runs `body` and converts the errors of the stages below.
    package static func catching<Value>(
        _ body: () async throws -> Value
    ) async throws(Failure) -> Value {
        do {
            return try await body()
        } catch {
            throw Failure(error)
        }
    }

    private init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as StoreError: self.init(error)
        case let error as ImagingError: self.init(error)
        case let error as ObjectError: self.init(error)
        case is CancellationError: self = .canceled
        default:
            self.init(
                .unexpected, "Something unexpected went wrong: \(error).", cause: error)
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .diskFull, .overBudget: self.init(.diskFull, "\(error)", cause: error)
        case .unusable, .unknownLayout, .usedByEarlier, .held, .inputOutput, .barred, .index:
            self.init(.storeUnusable, "\(error)", cause: error)
        case .tooManyFiles:
            let wait = Self.secondsOfFile
            self.init(
                .overloaded, "Too many files are being sent; try again in \(wait) s.",
                retryAfter: wait, cause: error)
        case .stopped: self = .canceled
        }
    }

    /// A client that takes a file slowly is disconnected after ``server.sendTimeout``; most are done
    /// sooner.
    private static let secondsOfFile = 5

    init(_ error: ImagingError) {
        switch error {
        case .notAnImage, .unsupported, .broken, .overLimit, .crashed, .tooSlow, .quarantined:
            self.init(.rejected, "\(error)", cause: error)
        case .overloaded: self = .overloaded(retryAfter: 1)
        case .canceled, .stopped: self = .canceled
        case .misconfigured: self.init(.unexpected, "\(error)", cause: error)
        }
    }

    init(_ error: ObjectError) {
        switch error {
        case .canceled: self = .canceled
        case .unavailable:
            self.init(.storeUnusable, "\(error)", retryAfter: 5, cause: error)
        case .forbidden, .misconfigured, .damaged, .tooLarge:
            self.init(.storeUnusable, "\(error)", cause: error)
        }
    }

    static func overloaded(retryAfter seconds: Int) -> Failure {
        Failure(
            .overloaded,
            "Too much is waiting to be fetched and rendered; try again in \(seconds) s.",
            retryAfter: seconds)
    }
}

// MARK: - In the index

extension FailureRecord {
    init(_ failure: Failure) {
        self.init(kind: failure.kind.rawValue, reason: failure.reason, until: failure.until)
    }
}

extension Failure {
    /// Returns nil if this version doesn't know the record's kind. The failure is then not
    /// remembered.
    init?(_ record: FailureRecord) {
        guard let kind = Kind(rawValue: record.kind) else { return nil }
        self.init(kind, record.reason, until: record.until)
    }
}
