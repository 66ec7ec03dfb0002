import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Tries from inside what a taken-over child can do, on each kind of thread.
@Suite(.timeLimit(.minutes(1))) struct ConfinementTests {
    /// Returns the reply of a child that reports in an error.
    private static func answer(_ policy: IsolationPolicy) async throws -> ImagingError? {
        let picture = FixtureImages.png(width: 2, height: 2, .rgba) { x, y, _ in x + y }
        do {
            _ = try await rendered(picture, [.tiny], .isolated(policy))
            return nil
        } catch let error as ImagingError {
            return error
        }
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

@Suite(.timeLimit(.minutes(1))) struct ShortcomingTests {
    @Test(
        arguments: [
            (true, true, []), (false, true, ["no Landlock"]), (true, false, ["no seccomp"]),
            (false, false, ["neither Landlock nor seccomp"]),
        ] as [(Bool, Bool, [String])])
    func `missing kernel features are named in the warning`(
        hasLandlock: Bool, hasSeccomp: Bool, words: [String]
    ) {
        let shortcoming = IsolationPolicy.shortcoming(
            hasLandlock: hasLandlock, hasSeccomp: hasSeccomp)
        #expect((shortcoming == nil) == words.isEmpty)
        for word in words { #expect(shortcoming?.contains(word) == true) }
    }
}

@Suite(.timeLimit(.minutes(1))) struct SparedJPEGTests {
    @Test(
        arguments: [
            ("plain JPEG", FixtureImages.jpeg(width: 120, height: 90), [.jpeg, .webp], 0),
            ("plain JPEG as PNG", FixtureImages.jpeg(width: 120, height: 90), [.jpeg, .png], 1),
            (
                "doubtful JPEG",
                FixtureImages.truncated(FixtureImages.jpeg(width: 120, height: 90)),
                [.jpeg], 1
            ),
            (
                "PNG", FixtureImages.png(width: 50, height: 60, .rgba) { x, y, _ in x * y },
                [.jpeg], 1
            ),
        ] as [(String, [UInt8], [ThumbnailFormat], Int)])
    func `a command may render plain JPEGs, and nothing else, in its own process`(
        name: String, original: [UInt8], formats: [ThumbnailFormat], children: Int
    ) async throws {
        let level = Level(name: "s", width: 40, height: 40)
        let renditions = formats.map { Rendition(level: level, format: $0) }
        var policy = IsolationPolicy.child()
        let isolated = try await withRenderer(.isolated(policy)) {
            await $0.outcome(original, renditions)
        }
        policy.sparesPlainJPEGs = true
        try await withRenderer(.isolated(policy)) { renderer in
            #expect(await renderer.outcome(original, renditions) == isolated)
            #expect(renderer.children.started == children)
        }
    }
}
