package import Fetch
package import FoundationEssentials
import Synchronization

/// A bucket of an S3-compatible store. Any thread.
package final class S3Store: ObjectStore {
    private let client: S3Client
    private let pause: @Sendable (Duration) async throws -> Void
    /// Whether the store has said that it doesn't know conditional PUTs.
    private let isUnconditional = Atomic(false)

    /// PUTs of one object while others write it.
    private static let maxConflicts = 6
    private static let maxList = 1_000

    private var service: S3Service { client.service }
    private var configuration: S3Configuration { client.configuration }

    /// - Parameters:
    ///   - fetch: reaches any address; see `FetchConfiguration.Reach.endpoints`.
    ///   - pause: waits between two PUTs that collide with others.
    package init(
        _ service: S3Service, _ configuration: S3Configuration,
        _ credentials: CredentialProvider, fetch: any Fetching,
        now: @escaping @Sendable () -> Date = { Date() },
        pause: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        client = S3Client(service, configuration, credentials, fetch: fetch, now: now)
        self.pause = pause
    }

    package var keepsExisting: Bool { !isUnconditional.load(ordering: .relaxed) }

    package func put(
        _ object: StoredObject, _ key: ObjectKey, _ condition: PutCondition
    ) async throws(ObjectError) -> PutOutcome {
        var headers = [
            ("Content-Type", object.contentType), ("x-amz-meta-sha256", object.sha256),
        ]
        if let cacheControl = object.cacheControl {
            headers.append(("Cache-Control", cacheControl))
        }
        for conflict in 1...Self.maxConflicts {
            let isConditional =
                condition == .ifAbsent && !isUnconditional.load(ordering: .relaxed)
            let answer = try await send(
                .put, configuration.path(key), object: object,
                headers: headers + (isConditional ? [("If-None-Match", "*")] : []))
            switch answer.status {
            case 200, 201, 204: return .stored
            case 412 where isConditional: return .existed
            case 501 where isConditional:
                // Remembered for the process: the store doesn't learn it meanwhile.
                isUnconditional.store(true, ordering: .relaxed)
            case 409:
                // Another PUT of the key is under way.
                do {
                    try await pause(.milliseconds(20 << conflict))
                } catch {
                    throw .canceled
                }
            default: throw error(answer)
            }
        }
        throw .unavailable(reason: "Other writers hold “\(key)” all the time.")
    }

    package func get(_ key: ObjectKey, limit: Int) async throws(ObjectError) -> [UInt8]? {
        let path = configuration.path(key)
        let answer = try await send(.get, path, limit: limit)
        switch answer.status {
        case 200:
            guard answer.body.count <= limit else { throw .tooLarge(limit: limit) }
            return answer.body
        case 404 where !answer.isNoBucket: return nil
        default: throw error(answer)
        }
    }

    package func head(_ key: ObjectKey) async throws(ObjectError) -> ObjectHead? {
        let answer = try await send(.head, configuration.path(key))
        switch answer.status {
        case 200:
            return ObjectHead(
                byteCount: answer.header("content-length").flatMap { Int($0) } ?? -1,
                sha256: answer.header("x-amz-meta-sha256"))
        case 404: return nil
        default: throw error(answer)
        }
    }

    package func delete(_ key: ObjectKey) async throws(ObjectError) {
        let answer = try await send(.delete, configuration.path(key))
        switch answer.status {
        case 200, 202, 204: return
        case 404 where !answer.isNoBucket: return
        default: throw error(answer)
        }
    }

    package func list(
        prefix: String, after: String?, limit: Int
    ) async throws(ObjectError) -> ObjectList {
        let own = configuration.prefix.isEmpty ? "" : "\(configuration.prefix)/"
        var query = [
            (name: "list-type", value: "2"),
            (name: "max-keys", value: "\(max(1, min(limit, Self.maxList)))"),
            (name: "prefix", value: own + prefix),
        ]
        if let after { query.append((name: "start-after", value: own + after)) }
        let answer = try await send(
            .get, configuration.root, query: query, limit: 4 << 20)
        guard answer.status == 200 else { throw error(answer) }
        guard let list = S3Document(answer.body).list(without: own) else {
            throw .misconfigured(reason: "\(service.host) doesn't answer like S3.")
        }
        return list
    }

    private func send(
        _ method: FetchRequest.Method, _ path: String,
        query: [(name: String, value: String)] = [], object: StoredObject? = nil,
        headers: [(String, String)] = [], limit: Int = 0
    ) async throws(ObjectError) -> FetchResponse {
        do throws(S3Client.Fault) {
            return try await client.send(
                method, path, query: query, object: object, headers: headers, limit: limit)
        } catch {
            switch error {
            case .credentials(let error): throw error
            case .fetch(let error): throw ObjectError(error, "the store")
            }
        }
    }

    private func error(_ response: FetchResponse) -> ObjectError {
        let (status, code) = (response.status, response.s3Code)
        let answer = "\(service.host) answered \(status)\(code.map { " (\($0))" } ?? "")"
        switch (status, code) {
        case (_, "RequestTimeTooSkewed"):
            return .forbidden(
                reason: "\(answer): this machine's clock and the store's differ by minutes.")
        case (_, "BadDigest"), (_, "XAmzContentSHA256Mismatch"), (_, "InvalidDigest"):
            return .damaged(reason: "\(answer).")
        case (301, _), (307, _), (308, _):
            return .misconfigured(
                reason: "\(answer): the bucket is in another region. Correct s3.endpoint and "
                    + "s3.region.")
        case (_, "NoSuchBucket"), (404, _):
            return .misconfigured(
                reason: "\(answer): the bucket “\(configuration.bucket)” doesn't exist.")
        case (_, "AuthorizationHeaderMalformed"):
            return .misconfigured(reason: "\(answer): correct s3.region.")
        case (401, _), (403, _): return .forbidden(reason: "\(answer).")
        case (408, _), (409, _), (425, _), (429, _), (500...599, _):
            return .unavailable(reason: "\(answer).")
        default: return .misconfigured(reason: "\(answer).")
        }
    }
}

extension FetchResponse {
    fileprivate var isNoBucket: Bool { s3Code == "NoSuchBucket" }
}

extension ObjectError {
    /// - Parameter what: `the store`.
    init(_ error: FetchError, _ what: String) {
        switch error.cause {
        case .resolveFailed, .connectFailed, .resting, .held, .tlsFailed, .notTrusted,
            .timedOut, .truncated, .protocolError, .redirectRefused:
            self = .unavailable(reason: "\(error)")
        case .tooLarge(let limit): self = .tooLarge(limit: limit)
        case .canceled, .stopped: self = .canceled
        case .invalidURL, .hostNotAllowed, .addressRefused, .tooManyRedirects, .configuration:
            self = .misconfigured(reason: "\(what) can't be asked. \(error)")
        }
    }
}
