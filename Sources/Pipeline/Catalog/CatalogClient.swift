import Catalog
import Fetch
import FoundationEssentials
import Hashing
import Memory
import Store
import Threads

/// Calls the sources' APIs and counts the calls. Responses that sources want cached, such as hops
/// of chains and configurations, are cached. Equal concurrent calls are coalesced. While an API is
/// unreachable, its last cached response is used.
struct CatalogClient: APIReading {
    /// A call whose response is cached. Equal calls have equal keys.
    private struct Hop: Hashable, Sendable {
        let key: String
        let timeToLive: TimeInterval
        let isUsedStale: Bool

        init(_ keeping: APICall.Keeping) {
            key = keeping.key
            timeToLive = keeping.timeToLive
            isUsedStale = keeping.use == .orLast
        }
    }

    /// A response, and whether it is cached for the next call.
    private struct Answer: Sendable {
        var answer: APIAnswer
        var isKept = true
    }

    /// Limit of a response's bytes. A page of a catalog has a few hundred kB, so this allows about
    /// thirty times that.
    static let maxBytes = 16 << 20
    /// Threads that read answers: a large one beside small ones.
    private static let threadCount = 2

    private let fetch: any Fetching
    private let metrics: PipelineMetrics
    private let maxBytes: Int
    private let budget: ByteBudget?
    /// On which answers are read, so that one that takes long keeps no other request waiting.
    private let threads = ThreadPool("answers", count: Self.threadCount, .forServer)
    private let now: @Sendable () -> Date
    private let hops: DocumentCache<Hop, Answer>

    /// Returns the bytes that cached responses may take: a quarter of ``PipelineConfiguration/catalogBytes``.
    static func hopBytes(_ configuration: PipelineConfiguration) -> Int {
        configuration.catalogBytes / 4
    }

    /// - Parameters:
    ///   - bytes: limit of cached responses in memory.
    ///   - budget: in which the memory of responses, and of the documents in them, is reserved.
    init(
        fetch: any Fetching, index: Index, metrics: PipelineMetrics, maxBytes: Int = maxBytes,
        bytes: Int = Self.hopBytes(PipelineConfiguration()), budget: ByteBudget? = nil,
        now: @escaping @Sendable () -> Date
    ) {
        self.fetch = fetch
        self.metrics = metrics
        self.maxBytes = maxBytes
        self.budget = budget
        self.now = now
        hops = DocumentCache(
            index: index, bytes: bytes,
            form: DocumentForm(
                diskKey: { "api:\($0.key)" }, timeToLive: \.timeToLive,
                cost: { $0.answer.body.count }, encode: \.answer.body,
                decode: { Answer(answer: APIAnswer(status: 200, body: $0)) }, isKept: \.isKept,
                isUsedStale: \.isUsedStale),
            now: now)
    }

    /// Bytes of cached responses in memory.
    var bytes: Int { hops.bytes }

    /// Runs a source's work, which is the reading of answers, on threads of its own.
    func reading<Value: Sendable>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(threads, operation: work)
    }

    func read(_ call: APICall) async throws(Failure) -> APIAnswer {
        var answer = try await answer(to: call)
        answer.budget = budget
        return answer
    }

    private func answer(to call: APICall) async throws(Failure) -> APIAnswer {
        guard let keeping = call.keeping else { return try await ask(call) }
        let hop = Hop(keeping)
        do {
            if keeping.use == .afterwards {
                let answer = try await ask(call, keeping)
                if answer.isKept { try await hops.keep([(hop, answer, onDisk: true)]) }
                return answer.answer
            }
            return try await hops.value(for: hop) { [self] () throws(Failure) in
                try await ask(call, keeping)
            }.document.value.answer
        } catch let failure as Failure {
            throw failure
        } catch is CancellationError {
            throw .canceled
        } catch {
            throw .unavailable(
                reason: "Cached documents of the source can't be read.", cause: error)
        }
    }

    private func ask(
        _ call: APICall, _ keeping: APICall.Keeping
    ) async throws(Failure) -> Answer {
        let answer = try await ask(call)
        guard answer.isSuccess, answer.isWholeDocument else {
            return Answer(answer: answer, isKept: false)
        }
        let hold = try await answer.reserve(HostNames.host(of: call.url) ?? call.url)
        defer { withExtendedLifetime(hold) {} }
        let part = await threads.run { () throws(Never) in keeping.part(answer.body) }
        guard let part else { return Answer(answer: answer, isKept: false) }
        return Answer(answer: APIAnswer(status: answer.status, body: part))
    }

    /// Removes responses from memory. `isUnwanted` gets the key on disk.
    func forget(_ isUnwanted: (_ diskKey: String) -> Bool) {
        hops.forget(isUnwanted)
    }

    // MARK: - Over the network

    /// Fetches a response, with redirects and retries.
    private func ask(_ call: APICall) async throws(Failure) -> APIAnswer {
        let url = CheckedURL(call.url, hosts: call.allowedHosts, plain: call.plainHosts)
        guard call.isOperators || url != nil, let host = HostNames.host(of: call.url) else {
            throw .unavailable(
                reason: "A source's API is called over https and on its own hosts only.")
        }
        let text = call.isOperators ? call.url : url?.text(adding: call.secretQuery) ?? call.url
        let response: FetchResponse
        do throws(FetchError) {
            response = try await metrics.counting(request(for: call, text), by: fetch)
        } catch {
            throw Failure(ofAPI: error)
        }
        guard call.isOperators || !Self.lacksTLS(response.url, call) else {
            throw .unavailable(reason: "\(host) redirected to an address without TLS.")
        }
        switch response.status {
        case 408, 425, 429, 500...:
            throw .unavailable(
                reason: "\(host) answered \(response.status).",
                timedOut: response.status == 408 || response.status == 504,
                retryAfter: response.header("retry-after").flatMap {
                    Self.retryAfter($0, now: now())
                })
        default:
            return APIAnswer(status: response.status, body: response.body, budget: budget)
        }
    }

    /// Returns the seconds of a `Retry-After` field (RFC 9110, section 10.2.3): zero for a time in
    /// the past, at most a day. Returns nil if the value is neither seconds nor an HTTP date.
    static func retryAfter(_ value: String, now: Date) -> Int? {
        let most = 86_400
        if let seconds = FreshnessPolicy.seconds(value) { return min(seconds, most) }
        guard let date = HTTPDate.parse(value, now: now) else { return nil }
        return Int(min(max(0, date.timeIntervalSince(now)), Double(most)).rounded(.up))
    }

    /// Returns whether a response came without TLS from a host that needs it.
    private static func lacksTLS(_ url: String, _ call: APICall) -> Bool {
        guard url.lowercased().hasPrefix("http:") else { return false }
        let plain = CheckedURL(url, hosts: call.allowedHosts, plain: call.plainHosts)
        return plain?.text.hasPrefix("http:") != true
    }

    private func request(for call: APICall, _ url: String) -> FetchRequest {
        var request = FetchRequest(
            url: url, purpose: .api, maxBytes: maxBytes)
        request.headers = call.headers
        if !call.headers.contains(where: { $0.name.lowercased() == "accept" }) {
            request.headers.append((name: "Accept", value: "application/json"))
        }
        if let body = call.body {
            request.method = .post
            request.body = body
        } else {
            // A response that finds no memory is asked for again, which a POST must not be.
            request.budget = budget
        }
        request.allowedHosts = call.allowedHosts
        request.plainIsInside = !call.plainHosts.isEmpty
        request.maxRedirects = call.maxRedirects
        return request
    }
}

extension APIAnswer {
    /// Whether the body begins and ends like a JSON document. This keeps error pages with a good
    /// status out of the cache.
    fileprivate var isWholeDocument: Bool {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let first = body.first { !isSpace($0) }
        let last = body.last { !isSpace($0) }
        switch (first, last) {
        case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "["), UInt8(ascii: "]")):
            return true
        default: return false
        }
    }
}

extension Failure {
    /// The failure of an API call that follows from a failed fetch.
    fileprivate init(ofAPI error: FetchError) {
        var timedOut = false
        var retryAfter: Int?
        switch error.cause {
        case .canceled:
            self = .canceled
            return
        case .configuration(let reason):
            self = .unconfigured(reason: reason)
            return
        case .timedOut: timedOut = true
        case .held(let left): retryAfter = FetchError.Cause.seconds(left)
        case .invalidURL, .hostNotAllowed, .addressRefused, .tooManyRedirects, .tooLarge,
            .resolveFailed, .connectFailed, .resting, .tlsFailed, .notTrusted, .truncated,
            .protocolError, .redirectRefused, .stopped:
            break
        }
        self = .unavailable(
            reason: "\(error)", timedOut: timedOut, retryAfter: retryAfter, cause: error)
    }
}
