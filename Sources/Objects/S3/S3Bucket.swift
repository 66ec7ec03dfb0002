package import Fetch
package import FoundationEssentials
import Hashing

/// A bucket of an S3-compatible store that is only read. Keys are below its prefix, so that nothing else of
/// it can be named. Any thread.
package final class S3Bucket: Sendable {
    /// The longest key that S3 knows, in bytes.
    package static let maxKey = 1_024
    /// Limit of a list's document. Each of 1,000 keys can have 3 KB, because it is percent-encoded.
    private static let maxList = 8 << 20

    /// Of the folder that shows it, for messages.
    private let folder: String
    /// Put before each key: empty, or with a slash at its end.
    private let prefix: String
    private let client: S3Client

    /// The longest key below the prefix, in bytes.
    package var longestKey: Int { Self.maxKey - prefix.utf8.count }

    /// - Parameters:
    ///   - configuration: its endpoint and prefix are not used.
    ///   - prefix: of all keys; empty, or with a slash at its end.
    ///   - fetch: reaches any address; see `FetchConfiguration.Reach.endpoints`.
    package init(
        _ service: S3Service, _ configuration: S3Configuration, prefix: String, folder: String,
        _ credentials: CredentialProvider, fetch: any Fetching,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.folder = folder
        self.prefix = prefix
        client = S3Client(service, configuration, credentials, fetch: fetch, now: now)
    }

    /// Returns the response with the whole object, or a 304 if `prepare` adds validators and the object is
    /// as it was.
    ///
    /// - Parameters:
    ///   - limit: a larger object is refused before its bytes.
    ///   - prepare: adds validators, a budget and a permit to the request.
    package func get(
        _ key: String, limit: Int,
        _ prepare: @Sendable (inout FetchRequest) -> Void = { _ in }
    ) async throws(BucketError) -> FetchResponse {
        let response = try await send(.get, key, limit: limit, prepare)
        if key.hasSuffix("/"), response.status == 200, response.body.isEmpty {
            var error = BucketError(.unusable, "“\(key)” is a directory.")
            error.attempts = response.attempts
            throw error
        }
        guard response.hasWholeBody || response.status == 304 else {
            throw BucketError(response, of: key, folder)
        }
        return response
    }

    /// Returns the attributes of an object, without its bytes.
    package func look(_ key: String) async throws(BucketError) -> ObjectList.Entry {
        let response = try await send(.head, key, limit: 0)
        guard response.status == 200 else { throw BucketError(response, of: key, folder) }
        return ObjectList.Entry(
            key: key, byteCount: response.header("content-length").flatMap { Int($0) } ?? 0,
            modifiedAt: response.header("last-modified").flatMap { HTTPDate.parse($0) })
    }

    private func send(
        _ method: FetchRequest.Method, _ key: String, limit: Int,
        _ prepare: @Sendable (inout FetchRequest) -> Void = { _ in }
    ) async throws(BucketError) -> FetchResponse {
        do throws(S3Client.Fault) {
            return try await client.send(
                method, client.configuration.path(encoding: prefix + key), limit: limit, prepare)
        } catch {
            throw BucketError(error, of: folder)
        }
    }

    /// What a list is asked for.
    package struct ListRequest: Sendable {
        /// Where all keys begin: empty, or with a slash at its end.
        package var directory: String
        /// Whether keys with a further slash are left out, and the directories up to it named instead.
        package var isFlat: Bool
        /// The first key comes after this one in the order of their bytes; nil begins.
        package var after: String?
        /// What the store gave with the part before this one.
        package var token: String?
        /// Keys and directories together, at most 1,000.
        package var limit: Int

        package init(
            _ directory: String, isFlat: Bool, after: String? = nil, token: String? = nil,
            limit: Int
        ) {
            self.directory = directory
            self.isFlat = isFlat
            self.after = after
            self.token = token
            self.limit = limit
        }
    }

    /// Returns the next part of a list in the order of the keys' bytes.
    ///
    /// - Throws: ``BucketError`` also for a list that doesn't advance.
    package func list(_ request: ListRequest) async throws(BucketError) -> BucketListing {
        var query = [
            (name: "list-type", value: "2"), (name: "encoding-type", value: "url"),
            (name: "max-keys", value: "\(request.limit)"),
            (name: "prefix", value: prefix + request.directory),
        ]
        if request.isFlat { query.append((name: "delimiter", value: "/")) }
        if let token = request.token {
            query.append((name: "continuation-token", value: token))
        } else if let after = request.after {
            // All that is below a directory comes before its last possible key.
            let isDirectory = request.isFlat && after.hasSuffix("/")
            query.append(
                (name: "start-after", value: prefix + after + (isDirectory ? "\u{10FFFF}" : "")))
        }
        let response: FetchResponse
        do throws(S3Client.Fault) {
            response = try await client.send(
                .get, client.configuration.root, query: query, limit: Self.maxList)
        } catch {
            throw BucketError(error, of: folder)
        }
        guard response.status == 200,
            var listing = BucketListing(response.body, below: prefix, in: request.directory)
        else { throw BucketError(response, of: nil, folder) }
        let found = listing.count
        if let after = request.after { listing.drop(upTo: after) }
        if listing.isTruncated, listing.last == nil {
            let reason =
                found > 0
                ? "The list of the bucket of “\(folder)” goes back."
                : "The list of the bucket of “\(folder)” doesn't go on."
            throw BucketError(.unavailable, reason)
        }
        return listing
    }
}
