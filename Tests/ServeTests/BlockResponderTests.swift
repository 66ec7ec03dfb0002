import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Blocks over HTTP: `/admin/block`, and what clients get of a blocked picture.
@Suite(.timeLimit(.minutes(1))) struct BlockResponderTests {
    private static let url = "https://\(Harness.imageHost)/original/1.jpg"
    private static let encodedURL = "https%3A%2F%2F\(Harness.imageHost)%2Foriginal%2F1.jpg"

    private func withPicture(
        _ body: (Harness, AdminClient) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            harness.servePicture()
            try await body(harness, AdminClient(harness))
        }
    }

    @Test(
        arguments: [
            (#"{"reason":"Order 1/2"}"#, 451, "Order 1/2"), ("{}", 410, nil), ("", 410, nil),
        ] as [(String, Int, String?)])
    func `a blocked picture is the placeholder with 451 and its reason, or with 410`(
        body: String, status: Int, reason: String?
    ) async throws {
        try await withPicture { harness, admin in
            #expect(await ask(harness, "/t/m/tvmaze/show/1").status == .ok)
            let original = await ask(harness, "/o/tvmaze/show/1")
            let digest = try #require(original.fields[.eTag]).replacing("\"", with: "")
            let put = await admin.ask(
                .put, "/admin/block/tvmaze/show/1", body,
                body.isEmpty ? [.authorization: "Bearer \(AdminClient.token)"] : AdminClient.json)
            #expect(put.status == .ok)
            #expect(try json(put)["targets"] as? [String] == ["tvmaze/show/1"])
            for target in ["/t/m/tvmaze/show/1", "/t/xs/tvmaze/show/1.webp"] {
                let answer = await ask(harness, target)
                #expect(answer.status.code == status)
                #expect(answer.fields[.contentType]?.hasPrefix("image/") == true)
                #expect(!answer.body.isEmpty)
                #expect(answer.fields[.cacheStatus]?.hasSuffix("detail=placeholder") == true)
                #expect(answer.fields[.blockReason] == reason)
            }
            for target in [
                "/o/tvmaze/show/1", "/iiif/3/tvmaze%2Fshow%2F1/info.json",
                "/iiif/3/tvmaze%2Fshow%2F1/full/max/0/default.jpg",
            ] {
                let answer = await ask(harness, target)
                #expect(answer.status.code == status, "\(target)")
                #expect(try json(answer)["type"] as? String == "urn:vitrine:problem:blocked")
                if let reason { #expect(try json(answer)["detail"] as? String == reason) }
            }
            // Its bytes are gone.
            #expect(await ask(harness, "/b/\(digest)").status == .notFound)
            let asked = harness.origin.log.count("/original/1.jpg")
            #expect(asked == 1)
            let document = await ask(harness, "/v1/tvmaze/show/1")
            #expect(document.status == .ok)
        }
    }

    @Test(arguments: [
        ("/admin/block/tvmaze/show/1", "tvmaze/show/1"),
        ("/admin/block/\(encodedURL)", url), ("/admin/block/\(url)", url),
        ("/admin/block/tvmaze/show/1*", "tvmaze/show/1*"),
        ("/admin/block/tvmaze%2Fshow%2F007", "tvmaze/show/7"),
        (
            "/admin/block/sha256-\(String(repeating: "0a", count: 32))",
            "sha256-\(String(repeating: "0a", count: 32))"
        ),
    ])
    func `a block is put, shown and deleted by what it names`(path: String, target: String)
        async throws
    {
        try await withPicture { harness, admin in
            #expect(await admin.ask(.get, path).status == .notFound)
            #expect(await admin.ask(.delete, path).status == .notFound)
            #expect(await admin.ask(.put, path, #"{"reason":"x"}"#).status == .ok)
            let shown = await admin.ask(.get, path)
            #expect(try json(shown)["target"] as? String == target)
            #expect(try json(shown)["reason"] as? String == "x")
            let all = try json(await admin.ask(.get, "/admin/block"))["blocks"] as? [[String: Any]]
            #expect(all?.map { $0["target"] as? String } == [target])
            #expect(await admin.ask(.delete, path).status == .ok)
            #expect(await admin.ask(.get, path).status == .notFound)
            #expect(await ask(harness, "/t/m/tvmaze/show/1").status == .ok)
        }
    }

    @Test func `a block needs the admin token, and names something`() async throws {
        try await withPicture { _, admin in
            for method in [HTTPRequest.Method.get, .put, .delete] {
                let none = await admin.ask(method, "/admin/block/tvmaze/show/1", "", [:])
                #expect(none.status == .unauthorized)
            }
            for (path, status) in [
                ("nothing", 400), ("nobody/show/1", 404), ("tvmaze/nothing/1", 404),
                ("sha256-1", 400),
            ] {
                #expect(await admin.ask(.put, "/admin/block/\(path)", "{}").status.code == status)
            }
            for body in [#"{"why":"x"}"#, #"{"reason":1}"#, "[]"] {
                #expect(
                    await admin.ask(.put, "/admin/block/tvmaze/show/1", body).status == .badRequest)
            }
        }
    }

    @Test func `a hit of a blocked picture ends in a running service`() async throws {
        try await withPicture { harness, _ in
            try await RunningServer.with(harness.pipeline) { running in
                let connection = try await running.connect()
                for path in ["/t/m/tvmaze/show/1", "/t/m/tvmaze/show/1", "/o/tvmaze/show/1"] {
                    connection.forget()
                    try await connection.send(request(path))
                    #expect(await connection.answers(1).first?.status == 200)
                }
                _ = try await harness.pipeline.blocking.block(Self.url, reason: "x")
                for path in ["/t/m/tvmaze/show/1", "/o/tvmaze/show/1", "/t/xs/tvmaze/show/1"] {
                    connection.forget()
                    try await connection.send(request(path))
                    #expect(await connection.answers(1).first?.status == 451, "\(path)")
                }
            }
        }
    }

    @Test func `a contact sheet shows the placeholder of a blocked picture`() async throws {
        try await withPicture { harness, _ in
            harness.origin.on(
                "/shows", host: Harness.apiHost, .json("[\(Harness.show(1, medium: nil))]"))
            func isPlaceholder() async throws -> Bool? {
                let sheet = try json(await ask(harness, "/sheet/xs/tvmaze/shows.json?page=0"))
                let tiles = sheet["items"] as? [[String: Any]]
                return tiles?.first?["placeholder"] as? Bool
            }
            #expect(try await isPlaceholder() == false)
            let before = await ask(harness, "/sheet/xs/tvmaze/shows?page=0")
            let digest = try #require(before.fields[.eTag]).replacing("\"", with: "")
            _ = try await harness.pipeline.blocking.block("tvmaze/show/1", reason: nil)
            #expect(try await isPlaceholder() == true)
            #expect(await ask(harness, "/b/\(digest)").status == .notFound)
        }
    }
}
