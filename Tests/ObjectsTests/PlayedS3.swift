import FoundationEssentials
import Hashing
import Synchronization
import TestSupport

/// A bucket on a loopback port, which misbehaves as a test scripts it.
///
///     let s3 = try await PlayedS3.start()
///     s3.fault("PUT", times: 1, .status(503))
final class PlayedS3: Sendable {
    struct Object: Sendable, Equatable {
        var bytes: [UInt8]
        var sha256: String?
    }

    private struct Fault: Sendable {
        var method: String
        var key: String
        var left: Int
        var reply: OriginReply
    }

    private struct State {
        var objects: [String: Object] = [:]
        var faults: [Fault] = []
        var isConditional = true
        var tokens: Set<String?> = [nil]
    }

    static let bucket = "bucket"
    static let key = "AKIDEXAMPLE"

    let origin: OriginServer
    private let state = Mutex(State())

    /// - Parameter isConditional: false for a store that answers conditional PUTs with 501.
    static func start(isConditional: Bool = true) async throws -> PlayedS3 {
        let s3 = PlayedS3(try await OriginServer.start())
        s3.state.withLock { $0.isConditional = isConditional }
        s3.origin.on("/*") { [weak s3] in s3?.answer($0) ?? .nothing }
        return s3
    }

    private init(_ origin: OriginServer) { self.origin = origin }

    var endpoint: String { origin.url }

    /// The objects by their keys.
    var objects: [String: Object] { state.withLock { $0.objects } }

    subscript(key: String) -> [UInt8]? {
        get { state.withLock { $0.objects[key]?.bytes } }
        set {
            state.withLock { $0.objects[key] = newValue.map { Object(bytes: $0, sha256: nil) } }
        }
    }

    /// Session tokens that are accepted; nil for requests without one.
    func accept(tokens: Set<String?>) { state.withLock { $0.tokens = tokens } }

    /// Answers the next requests with that instead.
    ///
    /// - Parameter key: the beginning of their keys.
    func fault(
        _ method: String, at key: String = "", times: Int = .max, _ reply: OriginReply
    ) {
        state.withLock {
            $0.faults.append(Fault(method: method, key: key, left: times, reply: reply))
        }
    }

    /// Ends all faults.
    func recover() { state.withLock { $0.faults = [] } }

    /// The requests of a method so far, as `METHOD key`.
    func requests(_ method: String) -> [OriginRequest] {
        origin.log.requests.filter { $0.method == method }
    }

    private func answer(_ request: OriginRequest) -> OriginReply {
        let root = "/\(Self.bucket)"
        guard request.path == root || request.path.hasPrefix("\(root)/") else {
            return Self.error(404, "NoSuchBucket")
        }
        let key = String(request.path.dropFirst(root.count + 1))
        return state.withLock { state in
            let fault = state.faults.firstIndex {
                $0.left > 0 && $0.method == request.method && key.hasPrefix($0.key)
            }
            if let fault {
                state.faults[fault].left -= 1
                return state.faults[fault].reply
            }
            guard state.tokens.contains(request.header("x-amz-security-token")) else {
                return Self.error(400, "ExpiredToken")
            }
            guard Self.isSigned(request) else { return Self.error(403, "AccessDenied") }
            guard Self.digest(request.body) == request.header("x-amz-content-sha256") else {
                return Self.error(400, "XAmzContentSHA256Mismatch")
            }
            return Self.answer(request, key, &state)
        }
    }

    private static func answer(
        _ request: OriginRequest, _ key: String, _ state: inout State
    ) -> OriginReply {
        switch request.method {
        case "PUT":
            if request.header("if-none-match") != nil {
                guard state.isConditional else { return error(501, "NotImplemented") }
                guard state.objects[key] == nil else { return error(412, "PreconditionFailed") }
            }
            state.objects[key] = Object(
                bytes: request.body, sha256: request.header("x-amz-meta-sha256"))
            return .status(200)
        case "GET" where key.isEmpty: return list(request, state.objects)
        case "GET", "HEAD":
            guard let object = state.objects[key] else { return error(404, "NoSuchKey") }
            var headers = [(name: "Content-Type", value: "application/octet-stream")]
            if let sha256 = object.sha256 { headers.append(("x-amz-meta-sha256", sha256)) }
            if request.method == "HEAD" {
                headers.append(("Content-Length", "\(object.bytes.count)"))
            }
            return OriginReply(200, body: object.bytes, headers: headers)
        case "DELETE":
            state.objects[key] = nil
            return .status(204)
        default: return error(405, "MethodNotAllowed")
        }
    }

    private static func list(
        _ request: OriginRequest, _ objects: [String: Object]
    ) -> OriginReply {
        func field(_ name: String) -> String {
            (request.field(name) ?? "").replacing("%2F", with: "/")
        }
        let limit = Int(field("max-keys")) ?? 1_000
        let after = field("start-after")
        let found = objects.keys.filter { $0.hasPrefix(field("prefix")) && $0 > after }.sorted()
        let entries = found.prefix(limit).map { key in
            """
            <Contents><Key>\(key)</Key><LastModified>\(Date.now.formatted(.iso8601))</LastModified>\
            <Size>\(objects[key]?.bytes.count ?? 0)</Size></Contents>
            """
        }
        let text =
            "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>\(found.count > limit)"
            + "</IsTruncated>\(entries.joined())</ListBucketResult>"
        return OriginReply(
            200, body: Array(text.utf8), headers: [("Content-Type", "application/xml")])
    }

    /// An error as S3 describes it.
    static func error(_ status: Int, _ code: String) -> OriginReply {
        OriginReply(
            status, body: Array("<Error><Code>\(code)</Code></Error>".utf8),
            headers: [("Content-Type", "application/xml")])
    }

    /// Whether the request names the key and signs what it must. The signature itself is checked by
    /// real servers and AWS's vectors.
    private static func isSigned(_ request: OriginRequest) -> Bool {
        guard let text = request.header("authorization"),
            text.hasPrefix("AWS4-HMAC-SHA256 Credential=\(key)/")
        else { return false }
        let signed = text.split(separator: "SignedHeaders=").last?.prefix { $0 != "," } ?? ""
        let names = Set(signed.split(separator: ";").map(String.init))
        let own = request.headers.map(\.name).filter { $0.hasPrefix("x-amz-") }
        return names.isSuperset(of: own + ["host", "x-amz-content-sha256", "x-amz-date"])
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        SHA256.digest(of: bytes).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }
}
