import Foundation
import Objects
import TestSupport
import Testing

/// What every store promises. Runs against a directory, scripted buckets, and Ceph and Swift if they
/// are installed. One test after the other, because some stop a server.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ObjectStoreTests {
    private func named(_ text: String) throws -> ObjectKey { try #require(ObjectKey(text)) }

    private func bytes(_ count: Int, seed: Int = 1) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ seed) }
    }

    @Test(arguments: Backend.all) func `an object comes back as it was put`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { bench in
            let store = bench.store
            for (name, content) in [
                ("t/0123456789abcdef/ab/abcd", bytes(48_000)), ("i/00/a.b_c~d-e", []),
                ("t/0123456789abcdef/ab/abcd.m.avif", bytes(1)), ("large", bytes(3 << 20)),
            ] {
                let object = StoredObject(content, cacheControl: StoredObject.forever)
                #expect(try await store.put(object, named(name), .ifAbsent) == .stored)
                #expect(try await store.get(named(name), limit: 4 << 20) == content)
                let head = try #require(try await store.head(named(name)))
                #expect(head.byteCount == content.count)
                #expect(head.sha256 == nil || head.sha256 == object.sha256)
            }
        }
    }

    @Test func `one directory that can't be used concerns only its objects`() async throws {
        let directory = try TemporaryDirectory()
        let store = try DirectoryStore(directory.file("shared"))
        let link = directory.file("shared/t")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: link)
        await #expect {
            _ = try await store.put(StoredObject(bytes(9)), named("t/one"), .always)
        } throws: { error in
            if case .damaged(let reason) = error as? ObjectError {
                reason.contains(link)
            } else {
                false
            }
        }
        #expect(try await store.put(StoredObject(bytes(9)), named("i/one"), .always) == .stored)
    }

    @Test(arguments: Backend.all) func `what is not there is missing, and can be removed`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { bench in
            let key = try named("a/b/c")
            for _ in 0..<2 {
                #expect(try await bench.store.get(key, limit: 10) == nil)
                #expect(try await bench.store.head(key) == nil)
                try await bench.store.delete(key)
            }
            _ = try await bench.store.put(StoredObject(bytes(9)), key, .always)
            try await bench.store.delete(key)
            #expect(try await bench.store.get(key, limit: 10) == nil)
        }
    }

    @Test(arguments: Backend.all) func `bytes with another digest are refused and not stored`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { bench in
            let key = try named("wrong")
            let object = StoredObject(bytes(2_000), sha256: StoredObject(bytes(1_999)).sha256)
            await #expect {
                _ = try await bench.store.put(object, key, .always)
            } throws: { error in
                if case .damaged = error as? ObjectError { true } else { false }
            }
            #expect(try await bench.store.get(key, limit: 10_000) == nil)
        }
    }

    @Test(arguments: Backend.all) func `a PUT that must not replace leaves what is there`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { bench in
            let key = try named("once")
            let (first, second) = (bytes(100), bytes(100, seed: 2))
            _ = try await bench.store.put(StoredObject(first), key, .ifAbsent)
            let outcome = try await bench.store.put(StoredObject(second), key, .ifAbsent)
            // A store without the condition replaces. Equal keys have equal bytes, so that is fine.
            #expect(outcome == (backend.isConditional ? .existed : .stored))
            #expect(
                try await bench.store.get(key, limit: 100)
                    == (backend.isConditional ? first : second))
            #expect(try await bench.store.put(StoredObject(second), key, .always) == .stored)
            #expect(try await bench.store.get(key, limit: 100) == second)
        }
    }

    @Test(arguments: Backend.all) func `of racing PUTs one stores, and the object is whole`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { bench in
            let key = try named("race")
            let object = StoredObject(bytes(100_000))
            let outcomes = try await withThrowingTaskGroup(of: PutOutcome.self) { group in
                for _ in 0..<10 {
                    group.addTask { try await bench.store.put(object, key, .ifAbsent) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .stored } == (backend.isConditional ? 1 : 10))
            #expect(try await bench.store.get(key, limit: 100_000) == object.bytes)
        }
    }

    @Test(arguments: Backend.all) func `a list has every key once, in the order of bytes`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { bench in
            // Slashes, dots and digits come before letters, capitals before small letters.
            let names = [
                "i/00/a", "i/00/b", "i/01/a", "i/1", "i/10/a", "t/r1/00/a", "t/r1/00/a.m.avif",
                "t/r2/00/b", "t/r2/ff/Z", "t/r2/ff/a",
            ]
            for name in names.reversed() {
                _ = try await bench.store.put(
                    StoredObject(bytes(name.utf8.count)), named(name), .always)
            }
            var found: [ObjectList.Entry] = []
            while true {
                let list = try await bench.store.list(
                    prefix: "", after: found.last?.key, limit: 3)
                #expect(list.entries.count <= 3)
                found += list.entries
                if !list.isTruncated { break }
            }
            #expect(found.map(\.key) == names)
            #expect(found.map(\.byteCount) == names.map(\.utf8.count))
            let part = try await bench.store.list(prefix: "t/r2/", after: "t/r2/ff/M", limit: 10)
            #expect(part.entries.map(\.key) == ["t/r2/ff/Z", "t/r2/ff/a"] && !part.isTruncated)
            // By the store's clock, which on one machine is ours.
            #expect(found.allSatisfy { abs($0.modifiedAt?.timeIntervalSinceNow ?? 1e9) < 86_400 })
            // Begins after a text that is not a key.
            let after = try await bench.store.list(prefix: "t/", after: "t/r10", limit: 1)
            #expect(after.entries.map(\.key) == ["t/r2/00/b"] && after.isTruncated)
            #expect(
                try await bench.store.list(prefix: "x/", after: nil, limit: 1)
                    == ObjectList(entries: [], isTruncated: false))
        }
    }

    @Test(arguments: Backend.all) func `an object over the limit is not read`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { bench in
            let key = try named("large")
            _ = try await bench.store.put(StoredObject(bytes(2_001)), key, .always)
            await #expect(throws: ObjectError.tooLarge(limit: 2_000)) {
                _ = try await bench.store.get(key, limit: 2_000)
            }
        }
    }

    @Test(arguments: Backend.all) func `ten times more requests than connections all end well`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend, transfers: 8) { bench in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<80 {
                    group.addTask {
                        let key = try #require(ObjectKey("many/\(number)"))
                        let object = StoredObject([UInt8](repeating: UInt8(number), count: 5_000))
                        _ = try await bench.store.put(object, key, .ifAbsent)
                        #expect(try await bench.store.get(key, limit: 5_000) == object.bytes)
                    }
                }
                try await group.waitForAll()
            }
            if let played = bench.played { #expect(played.origin.log.peak <= 8) }
        }
    }

    @Test(arguments: Backend.s3)
    func `a store that freezes in an upload is unavailable, then as before`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend, timeout: .milliseconds(500), attempts: 2) { bench in
            let key = try named("frozen")
            let object = StoredObject(bytes(1 << 20))
            bench.played?.fault("PUT", .silence)
            try await bench.server?.tell("pause")
            await #expect {
                _ = try await bench.store.put(object, key, .ifAbsent)
            } throws: { error in
                (error as? ObjectError)?.isTransient == true
            }
            bench.played?.recover()
            try await bench.server?.tell("resume")
        }
        // With time for a machine that is busy.
        try await withStore(backend) { bench in
            let key = try named("frozen")
            let object = StoredObject(bytes(1 << 20))
            _ = try await bench.store.put(object, key, .ifAbsent)
            #expect(try await bench.store.get(key, limit: 1 << 20) == object.bytes)
        }
    }

    @Test(arguments: Backend.real)
    func `a server that is killed in an upload has the object whole, or not`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { bench in
            let key = try named("killed")
            let object = StoredObject(bytes(8 << 20))
            async let upload = bench.store.put(object, key, .ifAbsent)
            try await bench.server?.tell("kill")
            do {
                _ = try await upload
            } catch {
                #expect((error as? ObjectError)?.isTransient == true)
            }
            try await bench.server?.tell("revive")
            let found = try await bench.store.get(key, limit: 8 << 20)
            #expect(found == nil || found == object.bytes)
            _ = try await bench.store.put(object, key, .ifAbsent)
            #expect(try await bench.store.get(key, limit: 8 << 20) == object.bytes)
        }
    }
}
