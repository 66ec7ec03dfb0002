import HTTP
import Imaging
import Pipeline
import PipelineSupport
import Synchronization
import TestSupport
import Testing

@testable import Serve

/// A server whose settings are reloaded while it answers.
@Suite(.timeLimit(.minutes(1))) struct ReloadTests {
    private static let path = "/t/m/tvmaze/show/1.jpg"

    private func harness() async throws -> Harness {
        let harness = try await Harness()
        harness.servePicture(width: 320, height: 480)
        return harness
    }

    private func answer(
        _ path: String, _ connection: RawConnection, _ fields: String = ""
    ) async throws -> RawAnswer {
        try await connection.send(request(path, fields))
        let answers = await connection.answers(1)
        connection.forget()
        return try #require(answers.first)
    }

    @Test func `hits, files and documents change with the settings, on open connections too`()
        async throws
    {
        try await RunningServer.with(harness()) { harness, running in
            let connection = try await running.connect()
            let paths = [
                Self.path, "/o/tvmaze/show/1", "/v1/tvmaze/show/1", "/", "/openapi.json",
            ]
            // The second time from memory.
            var before: [RawAnswer] = []
            for path in paths + paths { before.append(try await answer(path, connection)) }
            #expect(before.allSatisfy { $0.status == 200 })
            let tile = Level(name: "tile", width: 50, height: 50)
            harness.reload(levels: [tile])
            running.reload()
            var after: [RawAnswer] = []
            for path in paths { after.append(try await answer(path, connection)) }
            #expect(after.map(\.status) == [404, 200, 200, 200, 200])
            for (index, path) in paths.enumerated() where index != 1 {
                #expect(after[index].body != before[index].body, "\(path)")
                #expect(after[index].fields["etag"] != before[index].fields["etag"], "\(path)")
            }
            let small = try await answer("/t/tile/tvmaze/show/1.jpg", connection)
            #expect(small.status == 200)
            harness.reload(without: "tvmaze")
            running.reload()
            for path in ["/t/tile/tvmaze/show/1.jpg", paths[1], paths[2]] {
                #expect(try await answer(path, connection).status == 404, "\(path)")
            }
        }
    }

    @Test func `the admin token and the names of the service are replaced`() async throws {
        let (old, new) = ("the token of before", "the token of after")
        try await RunningServer.with(
            harness(), { $0.adminToken = AdminToken(old) }
        ) { _, running in
            let connection = try await running.connect()
            func status(_ token: String) async throws -> Int {
                try await answer(
                    "/admin/warm", connection, "Authorization: Bearer \(token)\r\n"
                ).status
            }
            #expect(try await status(old) == 200)
            running.reload { $0.adminToken = AdminToken(new) }
            #expect(try await status(old) == 401)
            #expect(try await status(new) == 200)
            running.reload {
                $0.adminToken = AdminToken(new)
                $0.hosts = ["b"]
            }
            #expect(try await status(new) == 403)
        }
    }

    /// Of clients that ask without a pause.
    private final class Load: Sendable {
        let asked = Mutex(0)
        let isOver = Atomic(false)
    }

    @Test func `no request fails while settings are reloaded again and again`() async throws {
        try await RunningServer.with(harness(), { $0.threads = 2 }) { harness, running in
            let load = Load()
            let bodies = try await withThrowingTaskGroup(of: Set<[UInt8]>.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let connection = try await running.connect()
                        var bodies: Set<[UInt8]> = []
                        while !load.isOver.load(ordering: .relaxed) {
                            let answer = try await answer(Self.path, connection)
                            #expect(answer.status == 200)
                            bodies.insert(answer.body)
                            load.asked.withLock { $0 += 1 }
                            stateChanged()
                        }
                        return bodies
                    }
                }
                for round in 1...6 {
                    harness.reload { $0.jpegQuality = round % 2 == 0 ? 80 : 20 }
                    running.reload()
                    let before = load.asked.withLock { $0 }
                    await eventually { load.asked.withLock { $0 } > before + 8 }
                }
                load.isOver.store(true, ordering: .relaxed)
                return try await group.reduce(into: Set()) { $0.formUnion($1) }
            }
            // Those of both qualities, and nothing else.
            #expect(bodies.count == 2)
        }
    }
}
