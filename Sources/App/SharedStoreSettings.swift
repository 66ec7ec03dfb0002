import Catalog
import Fetch
import FoundationEssentials
import Objects
import Threads

/// Builds the shared store that the settings name.
enum SharedStoreSettings {
    /// Transfers at the same time: what keeps a distant store busy with objects of 50 KB.
    static let concurrency = 64
    /// Limit of one attempt: an original of 256 MiB at 100 Mbit/s.
    private static let timeout = Duration.seconds(20)

    /// Returns the store, and the fetcher that asks it; nil if the settings name none. Blocks.
    ///
    /// - Throws: `ObjectError` if a directory can't be used, `FetchError` if the network settings
    ///   can't work.
    static func open(
        _ settings: Settings, environment: [String: String] = ProcessEnvironment.values
    ) throws -> (objects: any ObjectStore, fetcher: Fetcher?)? {
        let s3 = settings.s3
        guard let endpoint = s3.endpoint else { return nil }
        if endpoint.hasPrefix("file://") {
            return (try DirectoryStore(String(endpoint.dropFirst("file://".count))), nil)
        }
        guard
            var configuration = S3Configuration(endpoint: endpoint, bucket: s3.bucket ?? "")
        else { throw ConfigurationError("s3.endpoint: \(endpoint) is not an endpoint.") }
        configuration.region = s3.region
        configuration.prefix = s3.prefix
        configuration.isPathStyle = s3.pathStyle
        let fetcher = try Fetcher(fetching(settings))
        let provider = try credentials(settings, environment, fetcher)
        return (S3Store(configuration, provider, fetch: fetcher), fetcher)
    }

    /// A store answers within milliseconds, so it is given up sooner than an origin.
    private static func fetching(_ settings: Settings) -> FetchConfiguration {
        var fetching = FetchConfiguration()
        fetching.reach = .endpoints
        fetching.userAgent = settings.fetch.userAgent
        fetching.caFile = settings.fetch.caFile
        fetching.connectTimeout = .seconds(3)
        fetching.totalTimeout = timeout
        fetching.maxTransfers = concurrency
        fetching.defaultHost = HostPolicy(maxConcurrent: concurrency)
        fetching.retry.baseDelay = .milliseconds(50)
        fetching.retry.maxDelay = .seconds(2)
        fetching.breaker.rest = .milliseconds(500)
        fetching.breaker.maxRest = .seconds(10)
        return fetching
    }

    private static func credentials(
        _ settings: Settings, _ environment: [String: String], _ fetcher: Fetcher
    ) throws -> any CredentialProvider {
        let endpoint: CredentialEndpoint
        switch settings.s3.credentials {
        case .none: return FixedCredentials(nil)
        case .auto:
            if let own = settings.credentials.s3 { return FixedCredentials(own) }
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
        return FetchedCredentials(now: { Date() }) { () throws(ObjectError) in
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
