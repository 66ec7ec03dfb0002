import Dispatch
import Foundation
import GRDB
import Synchronization
import Testing
import Threads

@testable import Store

/// Writes of many callers that wait for the same transaction.
@Suite(.timeLimit(.minutes(1)))
struct WriteQueueTests {
    let scratch: StoreScratch
    let pool: DatabasePool

    init() throws {
        scratch = try StoreScratch()
        pool = try DatabasePool(path: scratch.path + "/test.sqlite")
        try pool.write {
            try $0.execute(sql: "CREATE TABLE rows (name TEXT CHECK (name <> 'bad'))")
        }
    }

    private final class Commits: TransactionObserver, Sendable {
        let count = Atomic(0)
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { count.add(1, ordering: .relaxed) }
        func databaseDidRollback(_ db: Database) {}
    }

    private typealias Write = @Sendable (Database) throws -> Void

    /// Adds the writes while the connection is busy. Returns whether each succeeded and how many
    /// transactions were committed.
    private func run(_ writes: [Write], alone: Set<Int> = []) async throws -> ([Bool], Int) {
        let (queue, commits) = (WriteQueue(), Commits())
        pool.add(transactionObserver: commits, extent: .databaseLifetime)
        let gate = DispatchSemaphore(value: 0)
        pool.asyncWriteWithoutTransaction { _ in gate.wait() }
        let (results, told) = AsyncStream.makeStream(of: (number: Int, isDone: Bool).self)
        for (number, write) in writes.enumerated() {
            let job = WriteQueue.Job(
                check: {},
                write: { database in
                    try write(database)
                    return { told.yield((number, true)) }
                },
                fail: { _ in told.yield((number, false)) }, isAlone: alone.contains(number))
            queue.add(job, to: pool)
        }
        gate.signal()
        var all = writes.map { _ in false }
        for await result in results.prefix(writes.count) { all[result.number] = result.isDone }
        return (all, commits.count.load(ordering: .relaxed))
    }

    @Test func `a thread that may block writes itself if no transaction runs`() async throws {
        let task = Task(executorPreference: ThreadPool("test", count: 2)) { [pool] in
            let (queue, own) = (WriteQueue(), pthread_self())
            return await withCheckedContinuation { told in
                let job = WriteQueue.Job(
                    check: {},
                    write: { database in
                        try database.execute(sql: "INSERT INTO rows VALUES ('here')")
                        let isHere = pthread_self() == own
                        return { told.resume(returning: isHere) }
                    },
                    fail: { _ in told.resume(returning: false) }, isAlone: false)
                queue.add(job, to: pool)
            }
        }
        #expect(await task.value)
        #expect(try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM rows") } == 1)
    }

    private func insert(_ name: String) -> Write {
        { try $0.execute(sql: "INSERT INTO rows VALUES (?)", arguments: [name]) }
    }

    private func names() throws -> Set<String> {
        try pool.read { try Set(String.fetchAll($0, sql: "SELECT name FROM rows")) }
    }

    @Test func `a write that is rejected fails its own caller only`() async throws {
        let (results, commits) = try await run([
            insert("a"),
            {
                try insert("half")($0); try insert("bad")($0)
            }, insert("b"),
        ])
        #expect(results == [true, false, true])
        #expect(try names() == ["a", "b"])
        #expect(commits == 1)
    }

    @Test func `writes that lose their transaction are repeated alone`() async throws {
        let (results, commits) = try await run([
            insert("a"),
            {
                try $0.execute(sql: "ROLLBACK"); throw CancellationError()
            }, insert("b"),
        ])
        #expect(results == [true, false, true])
        #expect(try names() == ["a", "b"])
        #expect(commits == 2)
    }

    @Test func `a write that commits itself has a transaction of its own`() async throws {
        let (results, commits) = try await run(
            [
                insert("a"),
                {
                    try insert("own")($0); try $0.commit()
                }, insert("b"),
            ], alone: [1])
        #expect(results == [true, true, true])
        #expect(try names() == ["a", "b", "own"])
        #expect(commits == 3)
    }
}
