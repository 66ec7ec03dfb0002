import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct ChildPoolTests {
    private static let level = Level(name: "s", width: 40, height: 40)
    private static let renditions = ThumbnailFormat.allCases.map {
        Rendition(level: level, format: $0)
    }

    private static let gif = FixtureImages.gif(
        width: 60, height: 50,
        colors: (RGB(red: 9, green: 99, blue: 200), RGB(red: 255, green: 220, blue: 0)),
        frames: [0, 1], transparent: 1)

    private static func renderer(_ policy: IsolationPolicy) throws -> Renderer {
        try Renderer(.isolated(policy))
    }

    /// Renders one PNG, in a child that may ignore the picture.
    private static func ask(_ renderer: Renderer) async throws(ImagingError) -> Rendering {
        try await renderer.render(gif, [Rendition(level: level, format: .png)])
    }

    /// The same by a renderer of its own.
    private static func ask(_ policy: IsolationPolicy) async throws -> Rendering {
        try await withRenderer(.isolated(policy)) { try await ask($0) }
    }

    private static let pictures: [(String, [UInt8])] = [
        ("JPEG", FixtureImages.jpeg(width: 120, height: 90)),
        ("PNG", FixtureImages.png(width: 50, height: 60, .rgba) { x, y, _ in x * y }),
        ("WebP", FixtureImages.webp(width: 120, height: 90)),
        ("GIF", gif),
        ("BMP", FixtureImages.bmp(width: 1, height: 1, bits: 24, pixels: [1, 2, 3, 0])),
        (
            "SVG",
            Array(
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="90" height="60">
                <circle r="20" cx="30" cy="30"/><text x="9" y="40" font-size="30">Text</text></svg>
                """.utf8)
        ),
        (
            "OpenEXR",
            FixtureImages.exr(width: 1, height: 1, channels: ["R"], halves: [0x3800])
        ),
        ("Radiance", FixtureImages.radiance(size: "-Y 1 +X 1", pixels: [128, 1, 9, 129])),
    ]

    @Test(arguments: pictures)
    func `a child renders the same bytes as this process`(
        name: String, original: [UInt8]
    ) async throws {
        func made(_ policy: IsolationPolicy) async throws -> Rendering {
            let configuration = ImagingConfiguration.isolated(policy).with {
                $0.perLevel = [LevelSettings(level: "s", values: [.webpQuality: 33])]
            }
            return try await rendered(original, Self.renditions, configuration)
        }
        let (one, other) = (try await made(.inside), try await made(.child()))
        #expect(one.info == other.info)
        #expect(one.summary == other.summary)
        #expect(one.thumbnails.map(\.bytes) == other.thumbnails.map(\.bytes))
        #expect(one.thumbnails.map(\.width) == other.thumbnails.map(\.width))
    }

    /// A child that is started at once has no libvips, which all but the first of these need.
    @Test(arguments: [
        FixtureImages.jpeg(width: 120, height: 90),
        JPEGFixture.general(FixtureImages.jpeg(width: 120, height: 90)),
        FixtureImages.truncated(FixtureImages.jpeg(width: 120, height: 90)), gif,
    ])
    func `the first picture of a child gives what later ones give`(original: [UInt8]) async throws {
        let renditions = Self.renditions.filter { $0.format == .jpeg || $0.format == .webp }
        let first = try await withRenderer(.isolated(.child())) { renderer in
            let first = await renderer.outcome(original, renditions)
            // Its child has libvips.
            _ = try await Self.ask(renderer)
            #expect(await renderer.outcome(original, renditions) == first)
            return first
        }
        try await withRenderer(.isolated(.inside)) { renderer in
            #expect(await renderer.outcome(original, renditions) == first)
        }
    }

    @Test func `a picture that the decoder of planes warns of isn't blamed`() throws {
        var request = RenderRequest(
            number: 7, input: .original, count: 1, maxBytes: 1, maxPixels: 1, maxSide: 1,
            levels: [], parts: [])
        request.early = 1
        let message = RenderReply(doubtful: 7).message
        let memory = try SharedMemory(count: 1 << 12)
        let reply = RenderReply(message: message, memory: memory, for: request)
        #expect(reply?.isDoubtful == true)
        #expect(reply?.isEarly == false)
        request.number = 8
        #expect(RenderReply(message: message, memory: memory, for: request) == nil)
    }

    @Test(arguments: [
        FixtureImages.truncated(gif), Array("<svg width=\"9\" height=\"9\"><rect".utf8),
        Array("<!DOCTYPE svg [<!ENTITY a \"x\">]><svg width='1' height='1'>&a;</svg>".utf8),
        Array("<svg width=\"1000000\" height=\"1000000\"/>".utf8),
    ])
    func `a child refuses with the same error as this process`(original: [UInt8]) async {
        func refusal(_ policy: IsolationPolicy) async -> ImagingError? {
            await #expect(throws: ImagingError.self) {
                try await rendered(original, Self.renditions, .isolated(policy))
            }
        }
        let inside = await refusal(.inside)
        #expect(await refusal(.child()) == inside)
    }

    @Test(arguments: [
        ("aborts", "signal 6"),
        // A sanitizer ends the process in a way of its own.
        ("segfaults", Sanitizer.isAtWork ? "it " : "signal 11"),
        ("exits", "by itself"), ("closes", "ended"),
    ])
    func `a crashed child is reported as a crash, not as a broken picture`(
        what: String, words: String
    ) async throws {
        let renderer = try Self.renderer(.child(what))
        for _ in 0..<2 {
            let error = await #expect(throws: ImagingError.self) { try await Self.ask(renderer) }
            guard case .crashed(let reason)? = error else { throw try #require(error) }
            #expect(reason.contains(words), "\(reason)")
        }
        // A new child each time.
        #expect(renderer.children.started == 2)
        await renderer.shutdown()
    }

    @Test func `a child that exceeds its processor time is killed`() async throws {
        var policy = IsolationPolicy.child("spins")
        policy.deadline = .milliseconds(50)
        policy.deadlinePerMegapixel = .zero
        // However busy the machine is.
        policy.clockFactor = 1_000
        let late = ImagingError.tooSlow(seconds: 0.05)
        await #expect(throws: late) { try await Self.ask(policy) }
    }

    /// A child waits like that on a machine that is too busy, and the pictures are sound.
    @Test(arguments: ["sleeps", "stops"])
    func `a child that gets no processor time is overload, not the picture's fault`(
        what: String
    ) async throws {
        var policy = IsolationPolicy.child(what)
        policy.deadline = .milliseconds(50)
        policy.deadlinePerMegapixel = .zero
        let renderer = try Self.renderer(policy)
        for _ in 0..<2 {
            await #expect(throws: ImagingError.overloaded) { try await Self.ask(renderer) }
        }
        // A new child each time.
        #expect(renderer.children.started == 2)
        await renderer.shutdown()
    }

    @Test func `a process that can't start children in time is overload, and is replaced`()
        async throws
    {
        var policy = IsolationPolicy.child("forker stops")
        policy.callLimit = .milliseconds(100)
        let renderer = try Self.renderer(policy)
        for _ in 0..<2 {
            await #expect(throws: ImagingError.overloaded) { try await Self.ask(renderer) }
        }
        await renderer.shutdown()
    }

    /// Masks in masks, each of which librsvg draws on a surface of the whole picture.
    private static func masks(_ count: Int) -> [UInt8] {
        let masks = (0..<count).map { index in
            "<mask id=\"m\(index)\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\" "
                + "mask=\"url(#m\(index + 1))\"/></mask>"
        }
        return Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="640" height="960">\(masks.joined())
            <rect width="100%" height="100%" mask="url(#m0)"/></svg>
            """.utf8)
    }

    @Test(.enabled(if: !Sanitizer.isAtWork))
    func `a picture that takes more memory than predicted is too large, and the next is rendered`()
        async throws
    {
        let level = Level(name: "l", width: 640, height: 960)
        var configuration = ImagingConfiguration.patient
        configuration.isolation = .child()
        configuration.threads = 1
        configuration.levels = [level]
        let renderer = try Renderer(configuration)
        let rendition = Rendition(level: level, format: .png)
        let error = await #expect(throws: ImagingError.self) {
            try await renderer.render(Self.masks(40), [rendition])
        }
        guard case .overLimit(let reason)? = error else { throw try #require(error) }
        #expect(reason.contains("MiB of memory"), "\(reason)")
        #expect(try await renderer.render(Self.masks(2), [rendition]).thumbnails.count == 1)
        await renderer.shutdown()
    }

    /// Each child may take what is predicted for its picture, and no other picture's memory.
    @Test(.enabled(if: !Sanitizer.isAtWork))
    func `a child's memory is lowered after a picture that needs more`() async throws {
        let nursery = Nursery(.child())
        let child = try ChildProcess(nursery, niceness: 0, memory: 300 << 20, withLibraries: true)
        func limit() throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(child.process)/limits", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("Max data size") }
            return Int(line?.split(separator: " ")[3] ?? "") ?? 0
        }
        let first = try limit()
        #expect(try child.limit(memory: 0))
        let lowered = try limit()
        // A new child maps a little more than it begins with.
        #expect(abs(first - lowered - (300 << 20 - RenderCost.quickPeak)) < 16 << 20)
        #expect(try child.limit(memory: 100 << 20))
        #expect(abs(try limit() - lowered - (100 << 20 - RenderCost.quickPeak)) < 16 << 20)
        child.end()
        nursery.close()
        #expect(try !child.limit(memory: 200 << 20))
    }

    @Test(arguments: [
        "says nothing", "answers another", "ends early", "sends too much", "sends another format",
        "is too large", "has an unknown error",
    ])
    func `a reply that can't be true is rejected`(what: String) async throws {
        await #expect(throws: ImagingError.crashed(reason: "its reply can't be true")) {
            try await Self.ask(.child(what))
        }
    }

    @Test func `a child is replaced after its number of jobs`() async throws {
        var policy = IsolationPolicy.child()
        policy.jobs = 2
        let renderer = try Self.renderer(policy)
        for _ in 0..<5 { _ = try await Self.ask(renderer) }
        #expect(renderer.children.started == 3)
        await renderer.shutdown()
    }

    @Test func `a suspect picture gets children of its own, whatever the isolation`()
        async throws
    {
        let png = [Rendition(level: Self.level, format: .png)]
        for isIsolated in [false, true] {
            var policy = IsolationPolicy.child()
            policy.isOn = isIsolated
            let renderer = try Self.renderer(policy)
            let before = try await renderer.render(Self.gif, png)
            let children = renderer.children.started
            for _ in 0..<2 {
                let rendering = try await renderer.render(Self.gif, png, for: .alone)
                #expect(rendering.thumbnails.map(\.bytes) == before.thumbnails.map(\.bytes))
                #expect(rendering.info == before.info)
            }
            // One reads the header, another one renders.
            #expect(renderer.children.started == children + 4)
            _ = try await renderer.render(Self.gif, png)
            #expect(renderer.children.started == children + 4)
            await renderer.shutdown()
        }
    }

    @Test func `the header of a suspect picture is not read in this process`() async throws {
        let huge = FixtureImages.gif(
            width: 65_535, height: 65_535,
            colors: (RGB(red: 0, green: 0, blue: 0), RGB(red: 0, green: 0, blue: 0)), frames: [])
        let error = await #expect(throws: ImagingError.self) {
            try await rendered(huge, [.tiny], .isolated(.child("aborts")), for: .alone)
        }
        guard case .crashed? = error else { throw try #require(error) }
    }

    @Test func `a child gets more shared memory for larger thumbnails`() async throws {
        let renderer = try Self.renderer(.child())
        for side in [40, 4_000, 40] {
            let level = Level(name: "s", width: side, height: side)
            let rendering = try await renderer.render(
                Self.gif, [Rendition(level: level, format: .png)])
            #expect(rendering.thumbnails.first?.width == min(side, 60))
        }
        #expect(renderer.children.started == 1)
        await renderer.shutdown()
    }

    @Test func `a child gets more shared memory for a larger original`() async throws {
        let renderer = try Self.renderer(.child())
        let rendition = Rendition(level: Self.level, format: .png)
        // Decoders ignore what follows a picture. Both take so much that the same lane renders them;
        // the large one takes more than a child is given first.
        let picture = FixtureImages.jpeg(width: 60, height: 50)
        let small = picture + [UInt8](repeating: 0, count: 12 << 20)
        let large = picture + [UInt8](repeating: 0, count: 17 << 20)
        var found: [[UInt8]] = []
        for original in [small, large, small] {
            let rendering = try await renderer.render(original, [rendition])
            found += rendering.thumbnails.map(\.bytes)
        }
        #expect(found.count == 3 && Set(found).count == 1)
        #expect(renderer.children.started == 1)
        await renderer.shutdown()
    }

    @Test func `a renderer and the process that starts it have names in ps`() async throws {
        let renderer = try Self.renderer(.child())
        _ = try await Self.ask(renderer)
        let child = try #require(renderer.children.idle.first)
        func file(_ process: some StringProtocol, _ name: String) throws -> String {
            try String(contentsOfFile: "/proc/\(process)/\(name)", encoding: .utf8)
        }
        let parent = try #require(
            try file("\(child)", "status").split(separator: "\n")
                .first { $0.hasPrefix("PPid:") }?.split(separator: "\t").last)
        #expect(try file("\(child)", "comm") == "vitrine-render\n")
        #expect(try file(parent, "comm") == "vitrine-nursery\n")
        await renderer.shutdown()
    }

    @Test func `shutdown ends all children`() async throws {
        let renderer = try Self.renderer(.child())
        _ = try await Self.ask(renderer)
        let children = renderer.children.idle
        #expect(children.count == 1)
        for child in children { #expect(kill(child, 0) == 0) }
        await renderer.shutdown()
        for child in children { #expect(kill(child, 0) == -1 && errno == ESRCH) }
    }

    @Test func `a renderer that can't be started is not the picture's fault`() async throws {
        let error = await #expect(throws: ImagingError.self) {
            try await Self.ask(.child("starts-nothing"))
        }
        guard case .misconfigured(let reason)? = error else { throw try #require(error) }
        #expect(reason.contains("ended before it started a renderer"), "\(reason)")
    }

    @Test func `a missing renderer program is named in the error`() async throws {
        var policy = IsolationPolicy.child()
        policy.executable = "/nonexistent/vitrine"
        let error = await #expect(throws: ImagingError.self) { try await Self.ask(policy) }
        #expect(error?.description.contains("/nonexistent/vitrine") == true)
        #expect(error?.description.contains("No such file") == true)
    }

    @Test func `many pictures are rendered in several children at once`() async throws {
        var configuration = ImagingConfiguration.patient
        configuration.isolation = .child()
        configuration.threads = 3
        let renderer = try Renderer(configuration)
        let gif = Self.gif
        let sizes = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    (try? await renderer.render(gif, Self.renditions))?.thumbnails.count ?? 0
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes == [Int](repeating: Self.renditions.count, count: 24))
        await renderer.shutdown()
    }
}
