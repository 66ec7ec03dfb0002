import App
import ArgumentParser
import Fetch
import Foundation
import TestSupport
import Testing

@testable import Console
@testable import vitrine

/// Sources of the settings, through the built program.
@Suite(.timeLimit(.minutes(1))) struct SourcesTests {
    /// A directory with the files that the page names.
    private static func played() async throws -> PlayedSources {
        let played = try await PlayedSources()
        try writeFiles(to: played.directory.path)
        return played
    }

    private static func writeFiles(to directory: String) throws {
        try DocumentedPage.writeFiles(of: "sources.md", to: directory)
        for name in ["cover-art-archive", "open-library"] {
            let text = try String(
                contentsOf: Fixtures.project.appending(path: "config/sources/\(name).yaml"),
                encoding: .utf8)
            try writeFile("\(directory)/config/sources/\(name).yaml", text)
        }
    }

    @Test func `every command of docs/sources.md works, and prints what the page shows`()
        async throws
    {
        let played = try await Self.played()
        var commands = 0
        for fence in try DocumentedPage.fences("sources.md") {
            switch fence.language {
            case "console":
                let line = try #require(fence.lines.first { $0.hasPrefix("$ ") })
                let finished = try await played.run(
                    Array(DocumentedPage.words(String(line.dropFirst(2))).dropFirst()))
                #expect(finished.status == 0, "\(line): \(finished.error)")
                #expect(finished.output == fence.lines.dropFirst().joined(separator: "\n") + "\n")
                commands += 1
            case "sh":
                commands += try await DocumentedPage.run(
                    fence.lines, in: played.directory.path, environment: played.environment)
            default: break
            }
        }
        #expect(commands >= 18)
    }

    @Test func `a described source is served like the built-in ones`() async throws {
        let played = try await Self.played()
        let (running, address) = try await played.serve(["--config", "shop.yaml"])
        let page = try await PlayedTVMaze.get("\(address)/v1/shop/chairs")
        let document = try members(String(decoding: page.body, as: UTF8.self))
        let items = try #require(document["items"] as? [[String: Any]])
        #expect(items.map { $0["item"] as? String } == ["shop/chair/17", "shop/chair/18"])
        #expect(items[0]["rights"] as? String == "© The Chair Shop")
        #expect(items[0]["genres"] as? [String] == ["wood", "red"])
        #expect(items[0]["summary"] as? String == "A chair.")
        #expect(document["next"] as? String == "/v1/shop/chairs?page=2")
        #expect(document["total"] as? Int == 3)
        let filtered = try await PlayedTVMaze.get("\(address)/v1/shop/chairs?genre=RED&title=17")
        #expect(String(decoding: filtered.body, as: UTF8.self).contains("shop/chair/17"))
        #expect(!String(decoding: filtered.body, as: UTF8.self).contains("shop/chair/18"))
        // The list has described the chair, so its picture needs no request for it.
        let asked = played.origin.log.count("/chairs/17")
        let picture = try await PlayedTVMaze.get("\(address)/t/s/shop/chair/017.jpg")
        #expect(picture.status == 200 && picture.header("content-type") == "image/jpeg")
        #expect(played.origin.log.count("/chairs/17") == asked)
        for (path, status) in [
            ("/t/s/shop/chair/99", 404), ("/v1/shop/chair/99", 404), ("/t/s/shop/chair/x", 400),
            ("/t/s/shop/table/1", 404), ("/v1/shop/search?q=ab", 400), ("/v1/shop/search", 400),
            ("/v1/shop/nothing", 404), ("/v1/shop/chairs?page=0", 400),
            ("/v1/shop/chairs?color=red", 400), ("/t/s/shop/chair/50", 502),
            ("/v1/shop/chair/50", 502),
        ] {
            #expect(try await PlayedTVMaze.get(address + path).status == status, "\(path)")
        }
        let api = try await PlayedTVMaze.get("\(address)/openapi.json")
        let text = String(decoding: api.body, as: UTF8.self)
        for path in [
            "/t/{level}/shop/chair/{id}.avif", "/t/{level}/shop/chair/{id}.png",
            "/v1/shop/chair/{id}", "/o/shop/chair/{id}", "/v1/shop/chairs", "/v1/shop/search",
            "/sheet/{level}/shop/chairs",
        ] { #expect(text.contains("\"\(path)\""), "\(path)") }
        let gallery = try await PlayedTVMaze.get("\(address)/")
        #expect(
            String(decoding: gallery.body, as: UTF8.self).contains(
                #"{"browse":[["shop/chairs","All chairs"]],"credit":["© The Chair Shop"],"#
                    + #""id":"source-shop","name":"The Chair Shop","#
                    + #""search":["shop/search","q"],"shape":1,"source":"shop","#
                    + #""suggestions":[],"title":"The Chair Shop"}"#))
        #expect(await running.terminate() == 0)
    }

    @Test func `pictures with fixed addresses need no request of an API`() async throws {
        let played = try await Self.played()
        let finished = try await played.run([
            "warm", "covers", "release", "76df3287-6cda-33eb-8e9a-044b5e15ffdd", "--json",
            "--levels", "s", "--config", "config/sources/cover-art-archive.yaml",
        ])
        #expect(finished.status == 0, "\(finished.error)")
        #expect(finished.output.contains("\"originals\":1"))
        #expect(
            !played.origin.log.requests.contains { $0.path.hasPrefix("/ws/2/") })
    }

    @Test func `a description that reads nothing ends with status 1 and names what it missed`()
        async throws
    {
        let played = try await Self.played()
        let path = "\(played.directory.path)/shop.yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
            .replacing("$.image.", with: "$.picture.")
            .replacing(
                "          - {url: \"https://cdn.shop.example/chairs/{id}.jpg\", label: by number, rank: 1}\n",
                with: "")
        try writeFile(path, text)
        let finished = try await played.run([
            "source", "test", "shop", "17", "--config", "shop.yaml",
        ])
        #expect(finished.status == 1)
        #expect(
            finished.output.contains(
                "$.picture.small\n    nothing: $ has no “picture”: it is an object with “id”, "
                    + "“name”, “tags”, “text”, “image”."))
        #expect(finished.output.hasSuffix("no candidates\n"))
        let json = try await played.run([
            "source", "test", "shop", "17", "--json", "--config", "shop.yaml",
        ])
        #expect(json.status == 1)
        let told = try members(json.output)
        let steps = try #require(told["steps"] as? [[String: Any]])
        #expect(told["subject"] as? String == "shop/chair/17")
        #expect(steps.first?["status"] as? Int == 200)
        #expect(
            steps.contains { $0["place"] as? String == "$.picture.small" && $0["reason"] != nil })
        let items = try #require(told["items"] as? [[String: Any]])
        #expect(items.count == 1 && (items[0]["candidates"] as? [String])?.isEmpty == true)
    }

    /// What follows `vitrine source test`, and how the sentence begins.
    private static let wrong = [
        ("chop 17", "The settings describe no source “chop”; they have shop."),
        ("tvmaze 1", "tvmaze is built in; use vitrine explain for one of its items."),
        ("shop x", "An id of shop/chair is a positive number of at most 18 digits, not “x”."),
        ("shop 17 18", "“17” is not a list, so “18” is too much."),
        (
            "shop chairs red",
            "The Chair Shop's list “chairs” is not a search; leave “red” out."
        ),
    ]

    @Test(arguments: wrong)
    func `a wrong test of a source is a usage error`(line: String, sentence: String) async throws {
        try await withScratchDirectory { directory in
            try Self.writeFiles(to: directory)
            let shared = try SharedOptions.parse(["--config", "\(directory)/shop.yaml"])
            let settings = try shared.load(environment: [:]).settings
            let words = line.split(separator: " ").map(String.init)
            #expect(throws: CommandError.usage(sentence)) {
                let source = try SourceTestCommand.source(words[0], settings)
                _ = try SourceTestCommand.subject(words[1], Array(words.dropFirst(2)), source)
            }
        }
    }

    @Test func `a test of a source needs one that the settings describe`() async throws {
        try await withScratchDirectory { directory in
            let finished = try await Executable.run(
                ["source", "test", "shop", "17"], in: directory)
            #expect(finished.status == 64)
            #expect(
                finished.error.hasPrefix(
                    "vitrine: The settings describe no source. Name a file with --config, or"))
        }
    }
}
