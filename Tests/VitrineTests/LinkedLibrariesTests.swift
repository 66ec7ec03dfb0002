import TestSupport
import Testing

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
