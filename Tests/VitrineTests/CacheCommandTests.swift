import Foundation
import TestSupport
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct CacheCommandTests {
    @Test func `corrupt blobs are found with status 3 and repaired`() async throws {
        try await withScratchDirectory { root in
            let verify = ["cache", "verify", "--cache", "."]
            let clean = try await Executable.run(verify, in: root)
            #expect(clean.status == 0, "\(clean.error)")
            #expect(clean.output == "0 blobs read, 0.0 MB: no problems\n")

            let name = "abcd" + String(repeating: "0", count: 60)
            try writeFile("\(root)/v2/blobs/ab/cd/\(name)", "not what the name says")
            let found = try await Executable.run(verify, in: root)
            #expect(found.status == 3)
            #expect(found.output.hasPrefix("corrupt  sha256-\(name)\n"))
            #expect(
                found.output.hasSuffix(
                    "1 corrupt, 0 stray, 0 missing, 0 orphans, 0 in the index; "
                        + "repair the cache with --repair\n"))

            let repaired = try await Executable.run(verify + ["--repair", "--json"], in: root)
            #expect(repaired.status == 3)
            let summary = try members(repaired.output)
            #expect(summary["corrupt"] as? [String] == ["sha256-\(name)"])
            #expect(summary["repaired"] as? Bool == true)

            #expect(try await Executable.run(verify, in: root).status == 0)
            let stats = try await Executable.run(
                ["cache", "stats", "--json", "--cache", "."], in: root)
            #expect(stats.status == 0)
            #expect(try members(stats.output)["hits"] as? Int == 0)
            let quarantined = try members(stats.output)["quarantined"] as? [String: Any]
            #expect(quarantined?["files"] as? Int == 1)
        }
    }

    @Test(arguments: [
        ("https://example.org/chair 2.jpg", "https://example.org/chair%202.jpg"),
        ("https://example.org/a|b{c}.jpg", "https://example.org/a%7Cb%7Bc%7D.jpg"),
        ("HTTPS://Example.org/Stühle.jpg?q=ä", "https://example.org/St%C3%BChle.jpg?q=%C3%A4"),
    ])
    func `a picture is pinned and unpinned by its URL, however that is written`(
        given: String, normal: String
    ) async throws {
        try await withScratchDirectory { root in
            func cache(_ arguments: String...) async throws -> String {
                let finished = try await Executable.run(
                    ["cache"] + arguments + ["--cache", "."], in: root)
                return finished.output + finished.error
            }
            let said = [
                try await cache("pin", given), try await cache("pin", normal),
                try await cache("unpin", normal), try await cache("pin", "https://a b/"),
            ]
            #expect(said[0].hasPrefix("1 item pinned, 0 already:"))
            #expect(said[1].hasPrefix("0 items pinned, 1 already:"))
            #expect(said[2] == "1 item unpinned\n")
            #expect(said[3].contains("has a blank in its host name"))
        }
    }

    @Test func `blobs that the index doesn't name are listed, and gc removes them`() async throws {
        try await withScratchDirectory { root in
            let verify = ["cache", "verify", "--cache", "."]
            #expect(try await Executable.run(verify, in: root).status == 0)
            // The digest of an empty file, written long ago.
            let name = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            let path = "\(root)/v2/blobs/e3/b0/\(name)"
            try writeFile(path, "")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
                ofItemAtPath: path)
            let found = try await Executable.run(verify, in: root)
            #expect(found.status == 3)
            #expect(found.output.hasPrefix("orphan   sha256-\(name)\n"))
            let collected = try await Executable.run(["cache", "gc", "--cache", "."], in: root)
            #expect(
                collected.output
                    == "1 orphan, 0 rows, 0 leftovers, 0 blobs evicted: 0.0 MB freed\n")
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try await Executable.run(verify, in: root).status == 0)
        }
    }

    @Test func `items are pinned by name and from a list, and unpinned`() async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/items", "# mine\n\n tvmaze/show/2\ntvmaze/show/3\n")
            let pin = ["cache", "pin", "tvmaze/show/1", "--list", "items", "--cache", "."]
            let pinned = try await Executable.run(pin + ["--json"], in: root)
            #expect(pinned.status == 0, "\(pinned.error)")
            #expect(try members(pinned.output)["pinned"] as? Int == 3)
            #expect(
                try await Executable.run(pin, in: root).output.hasPrefix(
                    "0 items pinned, 3 already"))
            let stats = try await Executable.run(
                ["cache", "stats", "--json", "--cache", "."], in: root)
            #expect(try members(stats.output)["pinnedItems"] as? Int == 3)
            let unpin = ["cache", "unpin", "tvmaze/show/1", "tvmaze/show/9", "--cache", "."]
            #expect(try await Executable.run(unpin, in: root).output == "1 item unpinned\n")
            let wrong = try await Executable.run(
                ["cache", "pin", "tvmaze", "--cache", "."], in: root)
            #expect(wrong.status == 64)
            #expect(wrong.error.contains("“tvmaze” is not an item"))
            let none = try await Executable.run(["cache", "pin", "--cache", "."], in: root)
            #expect(none.status == 64)
        }
    }

    @Test func `purge prints what it removed and rejects unknown names`() async throws {
        try await withScratchDirectory { root in
            let purge = ["cache", "purge", "--cache", "."]
            let all = try await Executable.run(purge + ["all", "--json"], in: root)
            #expect(all.status == 0, "\(all.error)")
            #expect(try members(all.output)["items"] as? Int == 0)
            let soft = try await Executable.run(purge + ["tvmaze", "--soft"], in: root)
            #expect(
                soft.output == "0 items, 0 originals, 0 thumbnails, 0 documents: out of date\n")
            let unknown = try await Executable.run(purge + ["nobody"], in: root)
            #expect(unknown.status == 64)
            #expect(unknown.error.contains("Source “nobody” is unknown"))
        }
    }
}
