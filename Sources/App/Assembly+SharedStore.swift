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
            let provider = try credentials(settings, environment, fetcher)
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

    private static func credentials(
        _ settings: Settings, _ environment: [String: String], _ fetcher: Fetcher
    ) throws -> CredentialProvider {
        let endpoint: CredentialEndpoint
        switch settings.s3.credentials {
        case .none: return CredentialProvider(nil)
        case .auto:
            if let own = settings.credentials.s3 { return CredentialProvider(own) }
            // The order of AWS' own libraries.
            endpoint =
                try webIdentity(settings, environment)
                ?? CredentialEndpoint.container(environment) ?? instance(environment)
        case .webIdentity:
            guard let identity = try webIdentity(settings, environment) else {
                throw ConfigurationError(
                    "s3.credentials is webIdentity, and the environment names no role (AWS_ROLE_ARN "
                        + "and AWS_WEB_IDENTITY_TOKEN_FILE).")
            }
            endpoint = identity
        case .container:
            guard let container = try CredentialEndpoint.container(environment) else {
                throw ConfigurationError(
                    "s3.credentials is container, and the environment names no endpoint "
                        + "(AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI).")
            }
            endpoint = container
        case .instance: endpoint = instance(environment)
        }
        return CredentialProvider(now: { Date() }) { () throws(ObjectError) in
            try await endpoint.load(fetcher) { path in
                await FileThreads.run {
                    // The endpoint reports a token file that can't be read.
                    (try? LocalFile.readRegular(path, limit: 64 << 10)).map {
                        String(decoding: $0, as: UTF8.self).trimmed
                    }
                }
            }
        }
    }

    private static func webIdentity(
        _ settings: Settings, _ environment: [String: String]
    ) throws(ObjectError) -> CredentialEndpoint? {
        try WebIdentity(environment, region: settings.s3.region).map { .webIdentity($0) }
    }

    private static func instance(_ environment: [String: String]) -> CredentialEndpoint {
        let url = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"].flatMap { $0.isEmpty ? nil : $0 }
        return .instance(url: url ?? CredentialEndpoint.instanceURL)
    }
}
