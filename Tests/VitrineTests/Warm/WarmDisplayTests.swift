import Catalog
import Pipeline
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct WarmDisplayTests {
    private func snapshot(
        items: Int, at seconds: Double, total: Int? = 245, failed: Int = 0
    ) -> WarmProgress {
        var snapshot = WarmProgress()
        snapshot.summary.items = items
        snapshot.summary.seconds = seconds
        snapshot.summary.bytesFetched = items * 100_000
        snapshot.summary.thumbnails = items * 3
        snapshot.summary.reused = items
        snapshot.summary.fallbacks = 3
        snapshot.summary.placeholders = 2
        snapshot.summary.failed = failed
        snapshot.total = total
        snapshot.listed = 245
        snapshot.waiting = 245 - items
        snapshot.stages = WarmStage.Name.allCases.map {
            .init(name: $0, inside: 7, done: items)
        }
        var hosts = HostTransfers()
        hosts.requests = 10
        hosts.seconds = 2.5
        snapshot.hosts["static.tvmaze.com"] = hosts
        hosts.seconds = 1
        snapshot.hosts["api.tvmaze.com"] = hosts
        return snapshot
    }

    private func lines(
        _ last: WarmProgress, width: Int, colors: Bool = false, verbose: Bool = true
    ) -> [String] {
        var display = WarmDisplay(title: "TV shows", hasColors: colors, isVerbose: verbose)
        display.add(snapshot(items: 0, at: 8))
        display.add(last)
        return display.lines(last, width: width)
    }

    private func bar(_ filled: Int, _ empty: Int) -> String {
        String(repeating: "█", count: filled) + String(repeating: "░", count: empty)
    }

    @Test func `a run is one line: what, how much, how fast, and the time left`() {
        let state = snapshot(items: 100, at: 10)
        #expect(
            lines(state, width: 79, verbose: false) == [
                "TV shows  \(bar(13, 19))  100/245  50.0/s  0:03"
            ])
        #expect(
            lines(state, width: 49, verbose: false) == [
                "TV shows  \(bar(6, 10))  100/245  50.0/s  0:03"
            ])
        #expect(
            lines(state, width: 40, verbose: false) == ["TV shows  100/245  50.0/s  0:03"])
        #expect(
            lines(snapshot(items: 245, at: 10), width: 79, verbose: false)[0].hasPrefix(
                "TV shows  \(bar(32, 0))  245/245"))
    }

    @Test func `until the whole list is read, no share of it is shown`() {
        #expect(
            lines(snapshot(items: 100, at: 10, total: nil), width: 79, verbose: false) == [
                "TV shows  100 of 245+  50.0/s  reading the list"
            ])
    }

    @Test func `with --verbose stages, amounts and hosts follow`() {
        for width in [79, 199] {
            #expect(
                Array(lines(snapshot(items: 100, at: 10), width: width).dropFirst()) == [
                    (width > 79 ? "listed 145  " : "")
                        + "resolve 7, 50.0/s  fetch 7, 50.0/s  render 7, 50.0/s  store 7, 50.0/s",
                    "0:10  5.0 MB/s  10.0 MB  100 reused  3 fallbacks  2 placeholders",
                    "slowest host static.tvmaze.com  250 ms a request",
                ])
        }
    }

    @Test(arguments: 1...200)
    func `no line is wider than the terminal, and their number never changes`(width: Int) {
        for total in [nil, 245] {
            for colors in [false, true] {
                let state = snapshot(items: 100, at: 10, total: total, failed: 1_234)
                let lines = lines(state, width: width, colors: colors)
                #expect(lines.count == 4)
                for line in lines {
                    // Without the sequences that color it.
                    let shown = line.replacing(#/\x{1b}\[[0-9;]*m/#, with: "")
                    #expect(shown.count <= width, "\(shown)")
                }
            }
        }
    }

    @Test func `the number of failures stays on a narrow terminal`() {
        let narrow = lines(snapshot(items: 100, at: 10, failed: 12), width: 20)
        #expect(narrow[0] == "100/245  12 failed")
    }

    @Test func `failures are red, unless NO_COLOR is set`() {
        let state = snapshot(items: 100, at: 10, failed: 2)
        #expect(lines(state, width: 199, colors: true)[0].contains("\u{1b}[31m2 failed\u{1b}[0m"))
        for text in ["", "1"] {
            let written = Written()
            let screen = WarmScreen(
                title: "", written.error(isTerminal: true), environment: ["NO_COLOR": text])
            screen.show(state)
            #expect(written.all.joined().contains("\u{1b}[31m") == text.isEmpty)
        }
    }

    @Test func `the display is drawn over itself in one write, and removed at the end`() {
        let written = Written()
        let error = written.error(isTerminal: true)
        error.show(["a", "b"])
        error.show(["c", "d"])
        error.line("log")
        error.show([String]())
        #expect(
            written.all == [
                "\r\u{1b}[Ka\n\u{1b}[Kb", "\r\u{1b}[1A\u{1b}[Kc\n\u{1b}[Kd",
                "\r\u{1b}[1A\u{1b}[Jlog\nc\nd", "\r\u{1b}[1A\u{1b}[J",
            ])
    }

    @Test(arguments: [(false, "xterm"), (true, "dumb")])
    func `without a live terminal plain lines are printed`(isTerminal: Bool, term: String) {
        let written = Written()
        let screen = WarmScreen(
            title: "t", written.error(isTerminal: isTerminal), environment: ["TERM": term])
        screen.show(snapshot(items: 100, at: 10))
        screen.finish()
        #expect(!written.all.joined().contains("slowest host"))
    }

    @Test func `progress events are JSON lines, one a second`() {
        let written = Written()
        let error = written.error(isTerminal: false)
        let events = WarmEvents { error.line($0) }
        for tenth in 1...25 { events.progress(snapshot(items: tenth, at: Double(tenth) / 10)) }
        events.ended(
            WarmedItem(
                item: Item(source: "a", kind: "b", id: "1"), ending: .failed(reason: "no")))
        let lines = written.all
        #expect(lines.count == 3)
        #expect(lines[0].contains("\"event\":\"progress\"") && lines[0].contains("\"items\":10,"))
        #expect(
            lines[2]
                == "{\"event\":\"item\",\"item\":\"a/b/1\",\"reason\":\"no\",\"status\":\"failed\"}\n"
        )
    }

    @Test func `the first problems of each kind are named, the others counted`() {
        let problems = WarmProblems()
        func note(_ count: Int, _ ending: WarmedItem.Ending) {
            for number in 0..<count {
                problems.note(
                    WarmedItem(
                        item: Item(source: "a", kind: "b", id: "\(number)"), ending: ending))
            }
        }
        note(WarmProblems.kept, .fallback(reason: "older"))
        note(WarmProblems.kept + 2, .placeholder(reason: "gone"))
        note(WarmProblems.kept + 1, .failed(reason: "no"))
        note(1, .picture)
        let lines = problems.lines
        #expect(lines.count == 3 * WarmProblems.kept + 2)
        #expect(lines[WarmProblems.kept] == "placeholder a/b/0: gone")
        #expect(lines.contains("… and 2 more placeholders; all are in the manifest (--manifest)"))
        #expect(lines.last == "… and 1 more failure; all are in the manifest (--manifest)")
    }

    @Test func `a reason that names its item is not named twice`() {
        let problems = WarmProblems()
        let item = Item(source: "spotify", kind: "artist", id: "1")
        problems.note(
            WarmedItem(
                item: item, ending: .placeholder(reason: "spotify/artist/1 has no picture.")))
        #expect(problems.lines == ["placeholder spotify/artist/1 has no picture."])
    }

    private func outcome(_ change: (inout WarmSummary) -> Void = { _ in }) -> ShownRun.Outcome {
        var summary = WarmSummary()
        (summary.items, summary.placeholders) = (300, 10)
        (summary.bytesFetched, summary.seconds) = (44_800_000, 29.4)
        change(&summary)
        return ShownRun.Outcome(title: "TV shows", summary: summary)
    }

    @Test func `the result of a run is one line, without figures that would be zero`() {
        #expect(
            outcome().result(hasColors: false) == "✓ TV shows  290 of 300  44.8 MB  29 s")
        let quick = outcome { ($0.bytesFetched, $0.seconds) = (40_000, 0.04) }
        #expect(quick.result(room: 10, hasColors: false) == "✓ TV shows    290 of 300")
        let failed = outcome { $0.failed = 2 }
        #expect(
            failed.result(hasColors: true).hasPrefix("\u{1b}[31m✗\u{1b}[0m TV shows  288 of 300"))
    }

    @Test(arguments: [
        (590.0, 550.0, 100.0, "5,000 pictures in 9 min 50 s; the network took most of it."),
        (59.6, 10, 50, "5,000 pictures in 1 min; rendering took most of it."),
        (100, 20, 30, "5,000 pictures in 1 min 40 s."), (0.6, 0.5, 0, "5,000 pictures in 0.6 s."),
    ])
    func `the last line of a run says how long it took, and what took most of it`(
        seconds: Double, network: Double, work: Double, line: String
    ) {
        var outcome = outcome { summary in
            (summary.items, summary.placeholders) = (5_000, 0)
            (summary.seconds, summary.networkSeconds) = (seconds, network)
        }
        outcome.usage = WarmUsage(processorSeconds: 2 * work, cores: 2)
        #expect(outcome.text().split(separator: "\n").last.map(String.init) == line)
    }

    @Test func `the summary says which items could not be pinned`() {
        var pins = PinReceipt()
        (pins.pinned, pins.refused, pins.limit) = (2, ["a/b/1"], 1_500_000)
        let refused = outcome { $0.pins = pins }
        #expect(refused.isPartial)
        let line = """
            pinned: 2, and 0 were before; 1 item did not fit into the half of cache.budget that pins \
            may take (1.5 MB)
            """
        #expect(refused.text().split(separator: "\n").contains { $0 == line })
    }

    @Test func `with --verbose the summary says what bounded the time`() {
        var outcome = outcome { summary in
            (summary.originals, summary.requests) = (290, 600)
            (summary.seconds, summary.networkSeconds) = (2.2, 1.5)
            (summary.thumbnails, summary.reused, summary.fallbacks) = (2_900, 10, 3)
        }
        outcome.usage = WarmUsage(processorSeconds: 4, cores: 2)
        let lines = outcome.text(isVerbose: true).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "✓ TV shows  290 of 300  44.8 MB  2.2 s", "thumbnails: 2,900 made, 10 reused",
                "items: 3 not the first choice, 10 without a picture",
                "originals: 290, 44.8 MB in 600 requests",
                "took 2.2 s, 1.10 × the larger bound: processor 2.0 s (2 cores), network 1.5 s",
                "290 pictures in 2.2 s; rendering took most of it.",
            ])
        #expect(lines.allSatisfy { $0.count <= 80 })
    }
}
