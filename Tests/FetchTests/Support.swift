import Fetch
import Synchronization
import TestSupport
import Testing

extension FetchConfiguration {
    /// Loopback allowed, retries without noticeable pauses, and patience with a loaded machine.
    static var loopback: FetchConfiguration {
        var configuration = FetchConfiguration()
        configuration.allowedNetworks = ["127.0.0.0/8", "::1"].compactMap(Network.init)
        configuration.connectTimeout = .seconds(600)
        configuration.lowSpeedTime = .seconds(600)
        configuration.totalTimeout = .seconds(1_200)
        configuration.retry.baseDelay = .milliseconds(1)
        return configuration
    }

    func with(_ change: (inout FetchConfiguration) -> Void) -> FetchConfiguration {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Runs with a fetcher that is shut down afterwards, whatever happens.
func withFetcher(
    _ configuration: FetchConfiguration = .loopback, _ body: (Fetcher) async throws -> Void
) async throws {
    let fetcher = try Fetcher(configuration)
    do {
        try await body(fetcher)
        await fetcher.shutdown()
    } catch {
        await fetcher.shutdown()
        throw error
    }
}

/// What came of one request to an origin.
struct Fetched {
    let result: Result<FetchResponse, FetchError>
    let log: OriginLog

    var response: FetchResponse { get throws { try result.get() } }

    var error: FetchError? {
        if case .failure(let error) = result { error } else { nil }
    }
}

/// Fetches once from an origin that gives these replies, one after the other, whatever the path.
func fetched(
    _ replies: OriginReply..., with configuration: FetchConfiguration = .loopback,
    _ change: (inout FetchRequest) -> Void = { _ in }
) async throws -> Fetched {
    try await fetched(replies, with: configuration, change)
}

func fetched(
    _ replies: [OriginReply], with configuration: FetchConfiguration,
    _ change: (inout FetchRequest) -> Void = { _ in }
) async throws -> Fetched {
    let origin = try await OriginServer.start()
    let next = Atomic(0)
    origin.on("/*") { _ in
        replies[min(next.add(1, ordering: .relaxed).oldValue, replies.count - 1)]
    }
    let fetcher = try Fetcher(configuration)
    let result: Result<FetchResponse, FetchError>
    do throws(FetchError) {
        result = .success(try await fetcher.fetch(.original("\(origin.url)/").with(change)))
    } catch {
        result = .failure(error)
    }
    await fetcher.shutdown()
    return Fetched(result: result, log: origin.log)
}

extension FetchRequest {
    static func original(_ url: String, maxBytes: Int = 1 << 20) -> FetchRequest {
        FetchRequest(url: url, purpose: .original, maxBytes: maxBytes)
    }

    static func api(_ url: String, maxBytes: Int = 1 << 20) -> FetchRequest {
        FetchRequest(url: url, purpose: .api, maxBytes: maxBytes)
    }

    func with(_ change: (inout FetchRequest) -> Void) -> FetchRequest {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Bytes that repeat late, so that a lost or doubled piece shows.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

/// The cause of the error that a fetch ends with; nil for a response.
func cause(of request: FetchRequest, with fetcher: Fetcher) async -> FetchError.Cause? {
    await failure(of: request, with: fetcher)?.cause
}

/// The error that a fetch ends with; nil for a response.
func failure(
    of request: FetchRequest, with fetcher: Fetcher
) async -> FetchError? {
    do {
        _ = try await fetcher.fetch(request)
        return nil
    } catch {
        return error
    }
}

/// Records that something came out differently. Unlike `Issue.record` it returns nothing, and can
/// end a closure.
func miss(_ what: String, at location: SourceLocation = #_sourceLocation) {
    Issue.record(Comment(rawValue: what), sourceLocation: location)
}
