import TestSupport
import Testing

@testable import App

/// Values of a file of settings that are long, or made to hurt.
@Suite(.timeLimit(.minutes(1))) struct SettingGrowthTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var size = 8_000
        /// The value is what is repeated, between the others.
        var before: String
        var part: String
        var after = "\n"
    }

    private static func source(_ member: String) -> String {
        "sources:\n  a:\n    hosts: [a.example]\n    kinds:\n      k:\n        chain: []\n    \(member)"
    }

    private static let cases: [Case] = [
        Case(
            testDescription: "a text", before: "fetch:\n  userAgent: \"", part: "a b ",
            after: "\"\n"),
        Case(testDescription: "a number", before: "server:\n  port: ", part: "1"),
        Case(testDescription: "a duration", before: "server:\n  sendTimeout: ", part: "1"),
        Case(testDescription: "a size", before: "memory:\n  budget: ", part: "1"),
        Case(testDescription: "a level", before: "levels:\n  m: ", part: "1x"),
        Case(testDescription: "words of a level", before: "levels:\n  m: 1x1 ", part: "cover "),
        Case(
            testDescription: "brackets", before: "fetch:\n  connectTo: [\"", part: "[",
            after: "\"]\n"),
        Case(
            testDescription: "brackets in pairs", before: "fetch:\n  connectTo: [\"", part: "[a]:",
            after: "\"]\n"),
        Case(
            testDescription: "elements", before: "fetch:\n  allowNetworks:\n",
            part: "  - 10.0.0.0/8\n"),
        Case(testDescription: "an unknown key", size: 2_000, before: "", part: "a", after: ": 1\n"),
        Case(
            testDescription: "a user in a URL", before: source("website: \""), part: "://",
            after: "\"\n"),
        Case(testDescription: "a title", before: source("title: \""), part: "{a}", after: "\"\n"),
        Case(
            testDescription: "a template of a purge", before: "cdn:\n  purgeBody: '", part: "{",
            after: "'\n"),
    ]

    @Test(arguments: cases)
    func `sixteen times the value takes sixteen times as long, and not its square`(one: Case) {
        let growth = excessiveGrowth(from: one.size) { size in
            one.before + String(repeating: one.part, count: size / one.part.utf8.count) + one.after
        } _: { text in
            _ = complaint(text)
        }
        #expect(growth == nil)
    }

    @Test(arguments: ["{", "{a}", "}", "{tag}", "{{"])
    func `sixteen times the places of a purge take sixteen times as long`(part: String) {
        let growth = excessiveGrowth(from: 8_000) { size in
            PurgeTemplate(
                url: "https://a.example", body: String(repeating: part, count: size / part.count))
        } _: { template in
            _ = template.request(["a"], soft: false)
        }
        #expect(growth == nil)
    }
}
