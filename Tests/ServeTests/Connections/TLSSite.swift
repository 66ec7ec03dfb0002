import Foundation
import HTTP
import Logging
import Pipeline
import PipelineSupport
import Serve
import TestSupport

/// A server with a certificate of its own, and clients that trust it.
struct TLSSite {
    let running: RunningServer
    /// File with the certificate that clients trust.
    let authority: String

    static func with<Result: Sendable>(
        _ pipeline: MediaPipeline, _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        log: RecordedLog = RecordedLog(),
        _ body: (TLSSite) async throws -> Result
    ) async throws -> Result {
        let authority = try CertificateAuthority()
        let directory = try TemporaryDirectory()
        let issued = try authority.issue(names: ["localhost"])
        let identity = try TLSIdentity(
            certificate: directory.write(issued.certificate.utf8, to: "server.pem"),
            key: directory.write(issued.key.utf8, to: "server.key"))
        return try await RunningServer.with(
            pipeline,
            {
                $0.tls = identity
                adjust(&$0)
            }, logger: log.logger(.trace)
        ) { running in
            let result = try await body(TLSSite(running: running, authority: authority.file))
            withExtendedLifetime((authority, directory)) {}
            return result
        }
    }

    /// Does so with a pipeline of its own, and closes it afterward.
    static func with(
        _ harness: Harness, _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        log: RecordedLog = RecordedLog(),
        _ body: (Harness, TLSSite) async throws -> Void
    ) async throws {
        try await withHarness(harness) { harness in
            try await with(harness.pipeline, adjust, log: log) { try await body(harness, $0) }
        }
    }

    var server: Server { running.server }

    /// Speaks HTTP/1.1, or what else is agreed.
    func connect(_ protocols: [String] = ["http/1.1"]) async throws -> RawConnection {
        try await RawConnection.open(
            port: running.port, tls: TLSOffer(authority, protocols))
    }

    func http2(window: Int = 65_535) async throws -> HTTP2Client {
        try await HTTP2Client.open(
            port: running.port, tls: TLSOffer(authority, ["h2"]), window: window)
    }
}
