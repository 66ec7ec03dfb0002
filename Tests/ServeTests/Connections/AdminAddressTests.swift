import HTTP
import HTTPTypes
import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// The operator's address beside that of the pictures.
@Suite(.timeLimit(.minutes(1))) struct AdminAddressTests {
    private static let token = "a token of its own"
    private static let ofOperator = ["/metrics", "/readyz", "/admin/warm"]

    private func harness(_ gate: Gate? = nil) async throws -> Harness {
        let harness = try await Harness()
        harness.servePicture(until: gate)
        return harness
    }

    private func with(
        _ harness: Harness, _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(
            harness.pipeline,
            {
                $0.offer = .pictures(admin: ListenAddress(host: "127.0.0.1", port: 0))
                $0.adminToken = AdminToken(Self.token)
                adjust(&$0)
            }, body)
    }

    private func status(_ path: String, _ connection: RawConnection) async throws -> Int? {
        try await connection.send(request(path, "Authorization: Bearer \(Self.token)\r\n"))
        return await connection.answers(1).first?.status
    }

    @Test func `what the operator asks has an address of its own, and pictures have theirs`()
        async throws
    {
        try await withHarness(harness()) { harness in
            try await with(harness) { running in
                for path in Self.ofOperator + ["/healthz"] {
                    let status = try await status(path, running.connectToAdmin())
                    #expect(status == 200, "\(path)")
                }
                for path in Self.ofOperator {
                    let status = try await status(path, running.connect())
                    #expect(status == 404, "\(path)")
                }
                let pictures = ["/t/m/tvmaze/show/1", "/", "/openapi.json", "/v1/status"]
                // The second time from memory.
                for path in pictures + pictures {
                    #expect(try await status(path, running.connect()) == 200, "\(path)")
                    #expect(try await status(path, running.connectToAdmin()) == 404, "\(path)")
                }
                #expect(try await status("/healthz", running.connect()) == 200)
            }
        }
    }

    @Test func `the description of the service has no routes of the operator then`() async throws {
        try await withHarness(harness()) { harness in
            try await with(harness) { running in
                let connection = try await running.connect()
                try await connection.send(request("/openapi.json"))
                let body = try #require(await connection.answers(1).first?.body)
                let text = String(decoding: body, as: UTF8.self)
                #expect(text.contains("\"/healthz\"") && text.contains("\"/openapi.json\""))
                for path in Self.ofOperator + ["/admin/warm/{id}", "/admin/purge"] {
                    #expect(!text.contains("\"\(path)\""), "\(path)")
                }
            }
        }
    }

    @Test func `the operator is answered while all connections of clients are taken`() async throws
    {
        let gate = Gate()
        try await withHarness(harness(gate)) { harness in
            try await with(harness, { $0.maxConnections = 1 }) { running in
                let busy = try await running.connect()
                try await busy.send(request())
                try await harness.origin.wait { $0.count("/original/1.jpg") == 1 }
                #expect(try await status("/metrics", running.connectToAdmin()) == 200)
                gate.open()
                #expect(await busy.answers(1).first?.status == 200)
            }
        }
    }

    @Test func `a service that finishes running requests says that it is not ready`() async throws {
        let gate = Gate()
        // Nobody else listens there once the server has finished.
        let reserved = try LoopbackPort()
        let address = ListenAddress(host: "127.0.0.1", port: reserved.number)
        try await withHarness(harness(gate)) { harness in
            try await with(harness, { $0.offer = .pictures(admin: address) }) { running in
                let busy = try await running.connect()
                try await busy.send(request())
                try await harness.origin.wait { $0.count("/original/1.jpg") == 1 }
                running.stopAccepting()
                await eventually { (try? await status("/readyz", running.connectToAdmin())) == 503 }
                #expect(try await status("/metrics", running.connectToAdmin()) == 200)
                gate.open()
                #expect(await busy.answers(1).first?.status == 200)
                try await running.finished()
                await #expect(throws: (any Error).self) { try await running.connectToAdmin() }
            }
        }
        withExtendedLifetime(reserved) {}
    }

    @Test(arguments: [("ops.example:9091", true), ("other.example:9091", false)])
    func `the operator's address may be a name`(_ host: String, _ isAllowed: Bool) async throws {
        try await withHarness(harness()) { harness async throws in
            var configuration = ServerConfiguration()
            configuration.offer = .pictures(admin: ListenAddress(host: "ops.example", port: 9_091))
            configuration.adminToken = AdminToken(Self.token)
            let answer = await Responder(harness.pipeline, configuration)
                .offering(.admin)
                .answer(
                    Request(
                        method: .get, target: "/admin/warm",
                        fields: [.authorization: "Bearer \(Self.token)"], authority: host))
            #expect(answer.status == (isAllowed ? .ok : .forbidden))
        }
    }
}
