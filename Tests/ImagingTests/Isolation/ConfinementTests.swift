import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Tries from inside what a taken-over child can do, on each kind of thread.
@Suite(.timeLimit(.minutes(1))) struct ConfinementTests {
    /// Returns the reply of a child that reports in an error.
    private static func answer(_ policy: IsolationPolicy) async throws -> ImagingError? {
        var configuration = ImagingConfiguration.patient
        configuration.isolation = policy
        configuration.threads = 1
        let renderer = try Renderer(configuration)
        var answer: ImagingError?
        do throws(ImagingError) {
            let picture = FixtureImages.png(width: 2, height: 2, .rgba) { x, y, _ in x + y }
            let level = Level(name: "s", width: 2, height: 2)
            _ = try await renderer.render(picture, [Rendition(level: level, format: .png)])
        } catch {
            answer = error
        }
        await renderer.shutdown()
        return answer
    }

    @Test(.enabled(if: IsolationPolicy().shortcoming == nil && !Sanitizer.isAtWork))
    func `a child can open, change, signal, trace, connect and start nothing, on any thread`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = directory.file("file")
        try Data("stays".utf8).write(to: URL(filePath: file))
        var policy = IsolationPolicy.child("tries everything")
        policy.arguments += [file, "\(getpid())", "\(policy.dataLimit)"]
        let answer = try await Self.answer(policy)
        #expect(answer == .broken(reason: "first:;new:;libvips:"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "stays")
    }

    @Test(.enabled(if: !Sanitizer.isAtWork))
    func `a program that already has a second thread renders nothing`() async throws {
        let answer = try await Self.answer(.child("has a thread"))
        guard case .misconfigured(let reason) = answer else {
            Issue.record("\(answer.map { "\($0)" } ?? "rendered")")
            return
        }
        #expect(reason.contains("has threads already"))
    }
}
