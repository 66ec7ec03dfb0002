import App
import Foundation
import TestSupport
import Testing
import Threads

@testable import Console
@testable import vitrine_bench

/// Programs that a benchmark starts.
@Suite(.timeLimit(.minutes(1))) struct MeasuredProgramTests {
    private func shell(_ script: String) -> MeasuredProgram.Order {
        MeasuredProgram.Order("/bin/sh", ["-c", script])
    }

    @Test func `a program's figures are its own`() async throws {
        let end = try await MeasuredProgram.run(
            shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"))
        #expect(end.status == 0)
        #expect(end.processor > 0)
        #expect(end.wall > 0)
    }

    @Test func `a failure has the status and the last line of standard error`() async throws {
        try await withScratchDirectory { directory in
            var order = shell("echo first >&2; echo last >&2; exit 7")
            order.errors = "\(directory)/errors"
            await #expect(throws: CommandError("/bin/sh ended with status 7: last")) {
                try await MeasuredProgram.run(order)
            }
            await #expect(throws: CommandError("/bin/sh was ended by signal 15.")) {
                try await MeasuredProgram.run(shell("kill -TERM $$"))
            }
        }
    }

    @Test func `a program is killed when its time is up`() async throws {
        var order = shell("exec sleep 86400")
        order.limit = 0.01
        let error = CommandError("/bin/sh did not end within 0.0100 s and was stopped.")
        await #expect(throws: error) {
            try await MeasuredProgram.run(order)
        }
    }

    @Test func `a program that can't be started is a sentence`() async throws {
        await #expect(throws: CommandError("/none can't be started: No such file or directory.")) {
            try await MeasuredProgram.run(.init("/none"))
        }
    }

    @Test func `a canceled task kills the program with all that it started`() async throws {
        try await withScratchDirectory { directory in
            let ready = "\(directory)/ready"
            try #require(mkfifo(ready, 0o600) == 0)
            // The inner shell would sleep for a day.
            let order = shell("sh -c 'echo $$ > \(ready); exec sleep 86400' & wait")
            let run = Task { try await MeasuredProgram.run(order) }
            let inner = try await FileThreads.run {
                let text = try LocalFile.read(ready, limit: 100)
                return Int32(String(decoding: text, as: UTF8.self).filter(\.isNumber)) ?? 0
            }
            #expect(inner > 1)
            run.cancel()
            await #expect(throws: CancellationError.self) { try await run.value }
        }
    }

    @Test func `a peer doesn't get this program's settings`() async throws {
        try await withScratchDirectory { directory in
            var order = shell("echo \"[$WORD]\"")
            order.environment = ["WORD": "given"]
            order.output = "\(directory)/output"
            _ = try await MeasuredProgram.run(order)
            let text = try LocalFile.read("\(directory)/output", limit: 100)
            #expect(String(decoding: text, as: UTF8.self) == "[given]\n")
        }
        #expect(MeasuredProgram.find("sh") != nil)
        #expect(MeasuredProgram.find("no-such-program") == nil)
    }
}
