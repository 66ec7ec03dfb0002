import TestSupport
import Testing

/// A source of the settings on a host without TLS.
@Suite(.timeLimit(.minutes(1))) struct PlainSourceTests {
    /// Runs `vitrine warm shop chair 17` in front of an API and its picture on one loopback port.
    private func warm(
        networks: String, _ check: (Executable.Finished, OriginServer) throws -> Void
    ) async throws {
        let origin = try await OriginServer.start()
        let image = "\(origin.url)/17.png"
        origin.on("/chairs/17", .json(#"{"name": "Chair", "image": "\#(image)"}"#))
        origin.on(
            "/17.png",
            .ok(FixtureImages.png(width: 40, height: 60, .rgb) { x, y, band in x + y + band }))
        try await withScratchDirectory { directory in
            try writeFile(
                "\(directory)/shop.yaml",
                """
                fetch: {allowNetworks: \(networks)}
                sources:
                  shop:
                    hosts: [127.0.0.1]
                    kinds:
                      chair:
                        request: \(origin.url)/chairs/{id}
                        title: $.name
                        chain: [{url: $.image}]

                """)
            let finished = try await Executable.run(
                ["warm", "shop", "chair", "17", "--levels", "xs", "--config", "shop.yaml"],
                in: directory)
            try check(finished, origin)
        }
    }

    @Test func `a described source on an allowed network needs no TLS`() async throws {
        try await warm(networks: "[127.0.0.0/8]") { finished, origin in
            #expect(finished.status == 0, "\(finished.error)")
            #expect(origin.log.requests.map(\.path) == ["/chairs/17", "/17.png"])
        }
    }

    @Test func `without an allowed network it is not asked`() async throws {
        try await warm(networks: "[10.0.0.0/8]") { finished, origin in
            #expect(finished.status == 3, "\(finished.error)")
            #expect(finished.error.contains("a loopback address"), "\(finished.error)")
            #expect(origin.log.requests.isEmpty)
        }
    }
}
