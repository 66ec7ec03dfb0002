import Foundation
import TestSupport
import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct CacheCommandTests {
    private func object(_ text: String) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func `corrupt blobs are found with status 3 and repaired`() async throws {
        try await withScratchDirectory { root in
            let verify = ["cache", "verify", "--cache", "."]
            let clean = try await Executable.run(verify, in: root)
            #expect(clean.status == 0, "\(clean.error)")
            #expect(clean.output == "0 blobs read, 0.0 MB: no problems\n")

            let name = "abcd" + String(repeating: "0", count: 60)
            try writeFile("\(root)/v1/blobs/ab/cd/\(name)", "not what the name says")
            let found = try await Executable.run(verify, in: root)
            #expect(found.status == 3)
            #expect(found.output.hasPrefix("corrupt  sha256-\(name)\n"))
            #expect(
                found.output.hasSuffix(
                    "1 corrupt, 0 stray, 0 missing, 0 in the index; "
                        + "repair the cache with --repair\n"))

            let repaired = try await Executable.run(verify + ["--repair", "--json"], in: root)
            #expect(repaired.status == 3)
            let summary = try object(repaired.output)
            #expect(summary["corrupt"] as? [String] == ["sha256-\(name)"])
            #expect(summary["repaired"] as? Bool == true)

            #expect(try await Executable.run(verify, in: root).status == 0)
            let stats = try await Executable.run(
                ["cache", "stats", "--json", "--cache", "."], in: root)
            #expect(stats.status == 0)
            #expect(try object(stats.output)["quarantined"] as? Int == 1)
        }
    }

    @Test func `purge prints what it removed and rejects unknown names`() async throws {
        try await withScratchDirectory { root in
            let purge = ["cache", "purge", "--cache", "."]
            let all = try await Executable.run(purge + ["all", "--json"], in: root)
            #expect(all.status == 0, "\(all.error)")
            #expect(try object(all.output)["items"] as? Int == 0)
            let soft = try await Executable.run(purge + ["tvmaze", "--soft"], in: root)
            #expect(
                soft.output == "0 items, 0 originals, 0 thumbnails, 0 documents: out of date\n")
            let unknown = try await Executable.run(purge + ["nobody"], in: root)
            #expect(unknown.status == 1)
            #expect(unknown.error.contains("There is no source “nobody”"))
        }
    }
}
