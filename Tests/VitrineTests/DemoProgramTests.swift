import Foundation
import TestSupport
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct DemoProgramTests {
    @Test func `a missing vitrine-demo is named, with the way to build it`() throws {
        let directory = try TemporaryDirectory()
        let program = try directory.write([0], to: "vitrine")
        let error = #expect(throws: CommandError.self) {
            try DemoProgram.path(beside: program)
        }
        #expect(error?.description.contains("/vitrine-demo is missing") == true)
        #expect(error?.description.hasSuffix("or build it with: make build") == true)
    }

    @Test func `vitrine-demo is looked up beside the resolved path of vitrine`() throws {
        let directory = try TemporaryDirectory()
        let program = try directory.write([0], to: "vitrine")
        let demo = try directory.write([0], to: "vitrine-demo")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: demo)
        let elsewhere = try TemporaryDirectory()
        let link = elsewhere.path + "/vitrine"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
        #expect(try DemoProgram.path(beside: link) == demo)
    }

    @Test func `a missing vitrine-bench is one sentence, with status 1`() async throws {
        try await withScratchDirectory { directory in
            let program = "\(directory)/vitrine"
            // This process must not have it open for writing: a child that another test starts in
            // that moment would hold it open, and a program open for writing does not start.
            let copy = try ChildProgram("/bin/cp", [ChildPrograms.vitrine, program])
            #expect(await copy.status() == 0)
            let end = try await Executable.run(
                ["bench", "--help"], in: directory, program: program)
            #expect(end.status == 1)
            #expect(end.error.hasPrefix("vitrine: The benchmark is a program of its own, and "))
            #expect(
                end.error.hasSuffix(
                    "/vitrine-bench is missing. Install the package vitrine-demo, or build it with: "
                        + "make build\n"))
        }
    }

    @Test func `vitrine-demo announces how to reach it and ends with its standard input`()
        async throws
    {
        let (input, output) = (Pipe(), Pipe())
        let demo = try ChildProgram(
            ChildPrograms.vitrineDemo, ["--until-eof", "--shows", "3"],
            input: input.fileHandleForReading, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        // All of it comes with one write.
        let line = output.fileHandleForReading.availableData
        let announcement = try JSONDecoder().decode(DemoAnnouncement.self, from: line)
        #expect(announcement.hosts.contains("api.tvmaze.com"))
        #expect(announcement.connectTo.count == announcement.hosts.count)
        #expect(announcement.certificateAuthorityPEM.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(announcement.sources.map(\.source).contains("spotify"))
        try input.fileHandleForWriting.close()
        #expect(await demo.status() == 0)
    }

    @Test func `a demo that is stopped while it warms stops as it was told`() async throws {
        let directory = try TemporaryDirectory()
        let running = try RunningExecutable(
            ["demo", "--port", "0", "--shows", "5000", "--cache", directory.file("cache")],
            in: directory.path)
        // The first line of its progress.
        _ = try #require(await running.line(containing: " items  "))
        #expect(await running.terminate() == 0)
    }
}
