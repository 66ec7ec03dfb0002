import Catalog
import Fetch
import FoundationEssentials
import Objects
import Threads

extension Assembly {
    /// Transfers of the shared store at the same time: what keeps a distant one busy with objects of
    /// 50 KB.
    static let sharedStoreTransfers = 64
    /// Limit of one attempt: an original of 256 MiB at 100 Mbit/s.
    private static let sharedStoreTimeout = Duration.seconds(20)

    /// Returns the store, and the fetcher that asks it; nil if the settings name none. Blocks.
    ///
    /// - Throws: `ObjectError` if a directory can't be used, `FetchError` if the network settings
    ///   can't work.
    static func sharedStore(
        _ settings: Settings, environment: [String: String] = ProcessEnvironment.values
    ) throws -> (objects: any ObjectStore, fetcher: Fetcher?)? {
        switch settings.s3.endpoint {
        case nil: return nil
        case .directory(let path): return (try DirectoryStore(path), nil)
        case .s3(let service):
            let fetcher = try Fetcher(sharedStoreFetching(settings))
            let provider =
                if settings.s3.credentials == .auto, let own = settings.credentials.s3 {
                    CredentialProvider(own)
                } else {
                    try credentials(
                        settings.s3, of: "s3.credentials", environment, fetcher)
                }
            return (S3Store(service, settings.s3, provider, fetch: fetcher), fetcher)
        }
    }

    /// A store answers within milliseconds, so it is given up sooner than an origin.
    private static func sharedStoreFetching(_ settings: Settings) -> FetchConfiguration {
        var fetching = FetchConfiguration()
        fetching.reach = .endpoints
        fetching.userAgent = settings.fetch.userAgent
        fetching.caFile = settings.fetch.caFile
        fetching.connectTimeout = .seconds(3)
        fetching.totalTimeout = sharedStoreTimeout
        fetching.maxTransfers = sharedStoreTransfers
        fetching.defaultHost = HostPolicy(maxConcurrent: sharedStoreTransfers)
        fetching.retry.baseDelay = .milliseconds(50)
        fetching.breaker.rest = .milliseconds(500)
        fetching.breaker.maxRest = .seconds(10)
        return fetching
    }

    /// Returns the credentials of a bucket: its own key, or what its settings name. A mistake in them fails
    /// only its requests.
    static func credentials(
        _ definition: BucketDefinition, _ access: BucketAccess
    ) -> CredentialProvider {
        func failing(_ error: ObjectError) -> CredentialProvider {
            CredentialProvider(now: { Date() }) { () throws(ObjectError) in throw error }
        }
        let place = "folders.\(definition.name).credentials"
        if let keys = definition.keys {
            if let own = keys.credentials { return CredentialProvider(own) }
            let missing = keys.parts.filter { $0.value == nil }.compactMap(\.variable)
            return failing(
                .misconfigured(
                    reason: missing.isEmpty
                        ? "a part of \(place) has characters that no key has; copy it again."
                        : "\(missing.listed(by: "and")) \(missing.count == 1 ? "is" : "are") not set."
                ))
        }
        do {
            return try credentials(
                definition.store, of: place, access.environment, access.fetcher)
        } catch let error as ObjectError {
            return failing(error)
        } catch {
            return failing(.misconfigured(reason: "\(error)"))
        }
    }

    /// - Parameter place: the name of the setting, for messages.
    private static func credentials(
        _ store: S3Configuration, of place: String, _ environment: [String: String],
        _ fetch: any Fetching
    ) throws -> CredentialProvider {
        func webIdentity() throws(ObjectError) -> CredentialEndpoint? {
            try WebIdentity(environment, region: store.region).map { .webIdentity($0) }
        }
        let endpoint: CredentialEndpoint
        switch store.credentials {
        case .none: return CredentialProvider(nil)
        case .auto:
            // The order of AWS' own libraries.
            endpoint =
                try webIdentity() ?? CredentialEndpoint.container(environment)
                ?? instance(environment)
        case .webIdentity:
            guard let identity = try webIdentity() else {
                throw ConfigurationError(
                    "\(place) is webIdentity, and the environment names no role (AWS_ROLE_ARN "
                        + "and AWS_WEB_IDENTITY_TOKEN_FILE).")
            }
            endpoint = identity
        case .container:
            guard let container = try CredentialEndpoint.container(environment) else {
                throw ConfigurationError(
                    "\(place) is container, and the environment names no endpoint "
                        + "(AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI).")
            }
            endpoint = container
        case .instance: endpoint = instance(environment)
        }
        return CredentialProvider(now: { Date() }) { () throws(ObjectError) in
            try await endpoint.load(fetch) { path in
                await FileThreads.run {
                    // The endpoint reports a token file that can't be read.
                    (try? LocalFile.readRegular(path, limit: 64 << 10)).map {
                        String(decoding: $0, as: UTF8.self).trimmed
                    }
                }
            }
        }
    }

    private static func instance(_ environment: [String: String]) -> CredentialEndpoint {
        let url = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"].flatMap { $0.isEmpty ? nil : $0 }
        return .instance(url: url ?? CredentialEndpoint.instanceURL)
    }
}
