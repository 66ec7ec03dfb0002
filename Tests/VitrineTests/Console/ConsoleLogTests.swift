import Catalog
import Dispatch
import Foundation
import Logging
import Synchronization
import Testing

@testable import App
@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct ConsoleLogTests {
    private func logger(_ format: Settings.Log.Format, level: Logger.Level = .info)
        -> (Logger, Written)
    {
        let written = Written()
        let settings = Settings.Log(level: level, format: format)
        let error = written.error(isTerminal: false)
        let logger = Logger(label: "vitrine.test") { label in
            ConsoleLog(label: label, settings: settings, output: error) {
                Date(timeIntervalSince1970: 1_767_225_600.25)
            }
        }
        return (logger, written)
    }

    @Test func `a text log line has time, level, message and sorted fields`() {
        var (logger, written) = logger(.text)
        logger[metadataKey: "request"] = "7"
        logger.warning(
            "Slow origin.", metadata: ["host": "a.example", "after": "5 s", "empty": ""])
        #expect(
            written.all == [
                "2026-01-01T00:00:00.250Z warning Slow origin. after=\"5 s\" empty=\"\" "
                    + "host=a.example request=7\n"
            ])
    }

    @Test func `a JSON log line is one object`() throws {
        let (logger, written) = logger(.json)
        logger.info("Quote \" and\nline \u{1}", metadata: ["time": "mine", "n": "1"])
        let line = try #require(written.all.first)
        #expect(line.filter { $0 == "\n" }.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(
            object == [
                "time": "2026-01-01T00:00:00.250Z", "level": "info", "logger": "vitrine.test",
                "message": "Quote \" and\nline \u{1}", "time_": "mine", "n": "1",
            ])
    }

    @Test func `a number in a JSON log line is one, and digits of a name are a text`() throws {
        let (logger, written) = logger(.json)
        logger.info(
            "request",
            metadata: [
                "status": .stringConvertible(200), "ms": .stringConvertible(12.5),
                "large": .stringConvertible(UInt64.max), "request": "12345",
                "none": .stringConvertible(Double.nan),
            ])
        let line = try #require(written.all.first)
        #expect(
            line.hasSuffix(
                "\"message\":\"request\",\"large\":18446744073709551615,\"ms\":12.5,"
                    + "\"none\":\"nan\",\"request\":\"12345\",\"status\":200}\n"))
        _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
    }

    @Test func `sentences of a service with JSON logs are lines of the log, failures too`() throws {
        let written = Written()
        let error = written.error(isTerminal: true)
        ConsoleLog.takeSentences(Settings.Log(format: .json), of: error) {
            Date(timeIntervalSince1970: 1_767_225_600.25)
        }
        error.line("vitrine: listening on http://127.0.0.1:8080")
        error.failure("vitrine: Port 8080 is “taken”.")
        let head = "{\"time\":\"2026-01-01T00:00:00.250Z\",\"level\":"
        #expect(
            written.all == [
                head + "\"info\",\"logger\":\"vitrine\","
                    + "\"message\":\"listening on http://127.0.0.1:8080\"}\n",
                head + "\"error\",\"logger\":\"vitrine\","
                    + "\"message\":\"Port 8080 is “taken”.\"}\n",
            ])
        let people = Written()
        let plain = people.error(isTerminal: false)
        ConsoleLog.takeSentences(Settings.Log(format: .text), of: plain)
        plain.line("vitrine: listening")
        #expect(people.all == ["vitrine: listening\n"])
    }

    @Test func `a line break in a message can't fake a log line`() {
        let (logger, written) = logger(.text)
        logger.info("one\n2026 info two", metadata: ["url": "a\nb"])
        #expect(
            written.all == [
                "2026-01-01T00:00:00.250Z info one\\n2026 info two url=\"a\\nb\"\n"
            ])
    }

    @Test func `messages below the level are not logged`() {
        let (logger, written) = logger(.text, level: .error)
        logger.warning("no")
        logger.error("yes")
        #expect(written.all.count == 1)
    }

    @Test func `a secret in a log field is hidden`() {
        let (logger, written) = logger(.text)
        logger.info("token", metadata: ["token": "\(Secret("geheim"))"])
        #expect(written.all.first?.hasSuffix("token=(set)\n") == true)
    }
}

@Suite(.timeLimit(.minutes(1))) struct DeferredLinesTests {
    @Test func `a stalled reader doesn't block logging, and lines keep their order`() {
        let written = Mutex<[String]>([])
        let started = DispatchSemaphore(value: 0)
        let stalled = DispatchSemaphore(value: 0)
        let lines = DeferredLines(limit: 3) { text in
            written.withLock { $0 += text.split(separator: "\n").map(String.init) }
            started.signal()
            stalled.wait()
        }
        lines.add("first")
        started.wait()
        for number in 1...5 { lines.add("\(number)") }
        for _ in 0..<9 { stalled.signal() }
        lines.flush(within: .seconds(60))
        let all = written.withLock { $0 }
        #expect(all == ["first", "1", "2", "3", "… 2 log lines were dropped"])
        lines.add("last")
        lines.flush(within: .seconds(60))
        #expect(written.withLock { $0 }.last == "last")
    }
}
