import Foundation
import TestSupport
import Testing

@testable import App

@Suite(.timeLimit(.minutes(1))) struct VersionTests {
    private static func file(_ name: String) -> URL {
        URL(filePath: #filePath).appending(path: "../../../\(name)").standardized
    }

    @Test func `the changelog begins with this version`() throws {
        let headings = try String(contentsOf: Self.file("CHANGELOG.md"), encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("## ") }
        let first = try #require(headings.first)
        #expect(first == "## Unreleased" || first.hasPrefix("## \(Version.number) ("))
        #expect(headings.contains { $0.hasPrefix("## \(Version.number) (") })
    }

    private static let git = "/usr/bin/git"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: git)))
    func `a build gets its commit without a rebuild, and outside of a repository none`()
        async throws
    {
        try await withScratchDirectory { root in
            let program = "\(root)/program"
            try FileManager.default.createDirectory(
                atPath: "\(root)/Tools", withIntermediateDirectories: false)
            try FileManager.default.copyItem(
                at: Self.file("Tools/release/stamp"), to: URL(filePath: "\(root)/Tools/stamp"))
            let unknown = "start vitrine-commit:\(String(repeating: " ", count: 40)) end"
            try writeFile(program, unknown)
            let built = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: built], ofItemAtPath: program)
            func stamped() async throws -> String {
                let stamp = try ChildProgram("/bin/sh", ["\(root)/Tools/stamp", program])
                #expect(await stamp.status() == 0)
                let attributes = try FileManager.default.attributesOfItem(atPath: program)
                #expect(attributes[.modificationDate] as? Date == built)
                return try String(contentsOfFile: program, encoding: .utf8)
            }
            #expect(try await stamped() == unknown)
            for arguments in [
                ["init", "--quiet"], ["add", "Tools"],
                [
                    "-c", "user.name=a", "-c", "user.email=a@a", "commit", "--quiet", "-m", "first",
                ],
            ] {
                let git = try ChildProgram(Self.git, ["-C", root] + arguments)
                #expect(await git.status() == 0)
            }
            let known = /start vitrine-commit:[0-9a-f]{12} {28} end/
            #expect(try await stamped().wholeMatch(of: known) != nil)
        }
    }
}

@Suite struct BackgroundPriorityTests {
    @Test func `a thread in the background goes after others, and so do those it starts`() async {
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        // On a thread of its own, which can't raise its priority again.
        let (before, after, isKnown) = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let own = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/thread-self")
                let thread = own?.split(separator: "/").last.flatMap { UInt32($0) } ?? 0
                let before = getpriority(kind, thread)
                BackgroundPriority.take(of: [thread])
                continuation.resume(
                    returning: (
                        before, getpriority(kind, thread),
                        BackgroundPriority.threads.contains(thread)
                    ))
            }
        }
        #expect(after == min(19, before + 5))
        #expect(isKnown)
    }
}
