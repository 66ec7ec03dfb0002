import App
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Console
@testable import vitrine_bench

/// Programs that make thumbnails when they are asked. A script stands in for imgproxy.
@Suite(.timeLimit(.minutes(1))) struct ResizingPeerTests {
    private static let level = Level(name: "m", width: 320, height: 480)

    private static let requests: [(ServePeer, String?)] = [
        (
            .imgproxy,
            "/unsafe/rs:fit:320:480/q:70/plain/local:///a-1.jpg@jpg"
        ),
        (
            .imagor,
            "/unsafe/fit-in/320x480/filters:format(jpeg):quality(70)/a-1.jpg"
        ),
        (
            .thumbor,
            "/unsafe/fit-in/320x480/filters:format(jpeg):quality(70)/a-1.jpg"
        ),
        (.nginx, nil), (.varnish, nil),
    ]

    @Test(arguments: requests)
    func `a peer is asked for the level's box and quality`(peer: ServePeer, path: String?) {
        #expect(peer.path(of: "a-1.jpg", in: Self.level, quality: 70) == path)
    }

    @Test func `a peer without a cache has no hits`() {
        #expect(ServePeer.imgproxy.path(of: "/t/m/a.jpg") == nil)
        #expect(ServePeer.nginx.path(of: "/t/m/a.jpg") == "/t/m/a.jpg")
    }

    /// Serves the files of its root where imgproxy would resize them.
    private static let script = #"""
        #!/usr/bin/env python3
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from os import environ
        from re import compile
        from sys import argv
        from urllib.parse import unquote
        if argv[1:] == ["version"]:
            raise SystemExit(print("3.99.1"))
        root = environ["IMGPROXY_LOCAL_FILESYSTEM_ROOT"]
        form = compile(r"/unsafe/rs:fit:320:480/q:80/plain/local:///([^/@]+)@jpg")
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                match = form.fullmatch(self.path)
                body = b""
                if match:
                    with open(root + "/" + unquote(match[1]), "rb") as file:
                        body = file.read()
                self.send_response(200 if match else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *_):
                pass
        host, port = environ["IMGPROXY_BIND"].split(":")
        workers = environ["IMGPROXY_WORKERS"]
        assert host == "127.0.0.1" and workers == "2"
        ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
        """#

    /// The stand-in, pictures in its root, and the paths at which it is asked for them.
    private struct Place {
        var installed: ServePeers.Installed
        var place: ServePeer.Place
        var paths: [String]
        var files: [[UInt8]]
    }

    private func withPeer(_ body: (Place) async throws -> Void) async throws {
        try await withScratchDirectory { directory in
            let program = "\(directory)/imgproxy"
            try writeFile("\(directory)/script", Self.script)
            // Written by another process: one that this process forks meanwhile would keep the file
            // open for writing, and it couldn't be started.
            _ = try await MeasuredProgram.run(
                MeasuredProgram.Order(
                    "/usr/bin/install", ["-m", "755", "\(directory)/script", program]))
            let names = ["one.jpg", "other.jpg"]
            var files: [[UInt8]] = []
            for (number, name) in names.enumerated() {
                files.append(
                    FixtureImages.jpeg(width: 320, height: 471, seed: UInt64(number + 1)))
                try writeFile("\(directory)/in/\(name)", "")
                try Data(files[number]).write(to: URL(filePath: "\(directory)/in/\(name)"))
            }
            let version = await ServePeer.imgproxy.version(program)
            try await body(
                Place(
                    installed: .init(peer: .imgproxy, program: program, version: version),
                    place: .init(files: "\(directory)/in", scratch: directory, workers: 2),
                    paths: names.compactMap {
                        ServePeer.imgproxy.path(of: $0, in: Self.level, quality: 80)
                    }, files: files))
        }
    }

    @Test func `imgproxy is started on a free port, asked for each picture, and stopped`()
        async throws
    {
        try await withPeer { peer in
            #expect(peer.installed.version == "imgproxy 3.99.1")
            let server = try await ServePeer.imgproxy.start(peer.installed.program, peer.place)
            let seen = try await withEnd {
                try await ServedPicture.collect(peer.paths, port: server.port, concurrency: 2)
            } end: {
                await server.stop()
            }
            #expect(seen.map(\.body) == peer.files)
            try ServePeers.check(seen, [JPEGSize(peer.files[0]), JPEGSize(peer.files[1])])
            #expect(!LoopbackPort.accepts(server.port))
        }
    }

    @Test func `a round of misses counts what differs from the first answers`() async throws {
        try await withPeer { peer in
            let server = try await ServePeer.imgproxy.start(peer.installed.program, peer.place)
            try await withEnd {
                var requests = zip(peer.paths, peer.files).map { path, file in
                    ServedPicture(path: path, body: file, entityTag: "").request
                }
                let good = try await ColdRows.misses(requests, server)
                #expect(good.errors == 0)
                #expect(good.latencies?.summary?.count == 2)
                #expect(
                    good.values.prefix(2).map(\.quantity.header) == [
                        "pictures/s", "CPU ms/picture",
                    ])
                requests[1].body?[100] ^= 1
                #expect(try await ColdRows.misses(requests, server).errors == 1)
                let error = await #expect(throws: CommandError.self) {
                    try await ServedPicture.collect(
                        ["/unsafe/rs:fit:1:1/plain/local:///one.jpg@jpg"], port: server.port,
                        concurrency: 1)
                }
                #expect(error?.description.contains("answered 404") == true)
            } end: {
                await server.stop()
            }
        }
    }

    @Test(arguments: [
        (320, 471, true), (319, 472, true), (318, 471, false), (320, 473, false),
    ])
    func `a thumbnail of another size is not the same work`(
        width: Int, height: Int, isSame: Bool
    ) throws {
        let jpeg = FixtureImages.jpeg(width: width, height: height)
        let picture = ServedPicture(path: "/a", body: jpeg, entityTag: "")
        var expected = try #require(JPEGSize(jpeg))
        (expected.width, expected.height) = (320, 471)
        if isSame {
            try ServePeers.check([picture], [expected])
        } else {
            #expect(
                throws: CommandError(
                    "It made \(width)×\(height) pixels at /a; expected 320×471.")
            ) { try ServePeers.check([picture], [expected]) }
        }
        try ServePeers.check([picture], [nil])
    }

    @Test func `a JPEG's size is that of its frame, and other files have none`() {
        let jpeg = FixtureImages.jpeg(width: 90, height: 60)
        #expect(JPEGSize(jpeg)?.width == 90)
        #expect(JPEGSize(jpeg)?.height == 60)
        #expect(JPEGSize(FixtureImages.jpeg(jpeg, orientation: 6))?.width == 90)
        #expect(JPEGSize(Array(jpeg.prefix(20))) == nil)
        #expect(JPEGSize(FixtureImages.webp(width: 90, height: 60)) == nil)
        #expect(JPEGSize([]) == nil)
    }
}
