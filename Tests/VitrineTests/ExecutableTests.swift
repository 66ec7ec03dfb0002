import App
import ArgumentParser
import TestSupport
import Testing

@testable import Console
@testable import vitrine

/// Runs the built program as its users do.
@Suite(.timeLimit(.minutes(1))) struct ExecutableTests {
    @Test(arguments: [
        (["frobnicate"], 64, "vitrine: Unknown command “frobnicate”; choose "),
        (["config", "--config", "none"], 78, "vitrine: Can't read none: No such file or dir"),
        (
            ["explain", "tvmaze/show/1", "--stored"], 1,
            "vitrine: Directory cache is missing. Check --cache."
        ),
        (["explain", "tvmaze"], 64, "vitrine: “tvmaze” is not an item. Items look like"),
        (["warm", "tvmaze", "shows", "--detach"], 64, "vitrine: --detach leaves the items to the"),
    ])
    func `a failure is one line on standard error and an exit status`(
        arguments: [String], status: Int32, begin: String
    ) async throws {
        try await withScratchDirectory { directory in
            let finished = try await Executable.run(arguments, in: directory)
            #expect(finished.status == status)
            #expect(finished.output.isEmpty)
            #expect(finished.error.hasPrefix(begin), "\(finished.error)")
            #expect(finished.error.filter { $0 == "\n" }.count == 1)
        }
    }

    @Test func `a source without credentials names the missing settings, with status 78`()
        async throws
    {
        try await withScratchDirectory { directory in
            let finished = try await Executable.run(
                ["warm", "tmdb", "movie", "238", "278", "--json"], in: directory)
            #expect(finished.status == 78)
            #expect(
                finished.error.hasSuffix(
                    "\nvitrine: TMDB needs an API read access token; set VITRINE_TMDB_TOKEN.\n"))
            // A new cache is announced, with its place.
            #expect(finished.error.contains("A new cache was made."))
            #expect(finished.error.contains("\(directory)/cache\n"))
            #expect(finished.output.contains("\"items\":0"))
        }
    }

    @Test func `help and version go to standard output`() async throws {
        try await withScratchDirectory { directory in
            let help = try await Executable.run(["config", "--help"], in: directory)
            #expect(help.status == 0)
            #expect(help.output.contains("USAGE: vitrine config"))
            #expect(help.error.isEmpty)
            let version = try await Executable.run(["--version"], in: directory)
            let names = version.output.split(separator: "\n").map { $0.split(separator: " ")[0] }
            #expect(version.output.hasPrefix("vitrine \(Version.number)"))
            for name in [
                "libvips", "libjpeg-turbo", "libcurl", "OpenSSL", "nghttp2", "SQLite",
            ] {
                #expect(names.contains(Substring(name)))
            }
        }
    }

    @Test func `config/vitrine.yaml is read if it exists`() async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/config/vitrine.yaml", "server: {port: 4711}\n")
            let finished = try await Executable.run(["config"], in: directory)
            #expect(finished.status == 0)
            let line = finished.output.split(separator: "\n").first { $0.hasPrefix("server.port") }
            #expect(
                line?.split(separator: " ")
                    == ["server.port", "4711", "file", "config/vitrine.yaml:1"])
            try writeFile("\(directory)/config/vitrine.yaml", "server: {prot: 4711}\n")
            let wrong = try await Executable.run(["config"], in: directory)
            #expect(wrong.status == 78)
            #expect(
                wrong.error
                    == "vitrine: config/vitrine.yaml:1: unknown key “server.prot”; did you mean "
                    + "“server.port”?\n")
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct LinkedLibrariesTests {
    #if canImport(Glibc)
        @Test func `the program starts without libvips`() async throws {
            try await withScratchDirectory { directory in
                // glibc's loader lists what it would load, and starts nothing.
                let end = try await Executable.run(
                    ["--version"], in: directory, environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
                #expect(end.output.contains("libturbojpeg"))
                #expect(!end.output.contains("libvips"))
            }
        }
    #endif
}
