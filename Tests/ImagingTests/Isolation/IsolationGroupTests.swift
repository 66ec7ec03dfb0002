import TestSupport
import Testing

@testable import Imaging

/// Which child renders which picture, told by children that answer with the number of their process.
@Suite(.timeLimit(.minutes(1))) struct IsolationGroupTests {
    private static func renderer(_ idle: Int) throws -> Renderer {
        var policy = IsolationPolicy.child("says who it is")
        policy.idle = idle
        return try Renderer(.isolated(policy))
    }

    /// The process that a picture of that group is given to.
    private static func process(
        _ renderer: Renderer, _ group: IsolationGroup
    ) async throws(ImagingError) -> String {
        do throws(ImagingError) {
            let picture = FixtureImages.png(width: 2, height: 2, .rgba) { x, y, _ in x + y }
            let level = Level(name: "s", width: 2, height: 2)
            _ = try await renderer.render(
                picture, [Rendition(level: level, format: .png)], for: group)
            return ""
        } catch {
            guard case .broken(let process) = error else { throw error }
            return process
        }
    }

    @Test func `a child never renders for two sources`() async throws {
        let renderer = try Self.renderer(8)
        let groups: [IsolationGroup] = [
            .local, .source("one"), .source("two"), .source("url", host: "a.example"),
            .source("url", host: "b.example"),
        ]
        var processes: [[String]] = []
        for _ in 0..<2 {
            var round: [String] = []
            for group in groups { round.append(try await Self.process(renderer, group)) }
            processes.append(round)
        }
        #expect(Set(processes[0]).count == groups.count)
        #expect(processes[0] == processes[1])
        await renderer.shutdown()
    }

    @Test func `a picture of the group alone gets a child of its own`() async throws {
        let renderer = try Self.renderer(8)
        let first = try await Self.process(renderer, .alone)
        #expect(try await Self.process(renderer, .alone) != first)
        #expect(renderer.children.idle.isEmpty)
        await renderer.shutdown()
    }

    @Test func `the fingerprint of decoding changes with the decoders and their limits alone`()
        async throws
    {
        func recipe(_ change: (inout ImagingConfiguration) -> Void) async throws -> String {
            var configuration = ImagingConfiguration()
            configuration.threads = 1
            change(&configuration)
            let renderer = try Renderer(configuration)
            let recipe = renderer.decoderRecipe
            await renderer.shutdown()
            return recipe
        }
        let before = try await recipe { _ in }
        #expect(try await recipe { $0.isolation.idle += 1 } == before)
        #expect(try await recipe { $0.isolation.jobs += 1 } == before)
        #expect(try await recipe { $0.isolation.executable = "/usr/bin/vitrine" } == before)
        #expect(try await recipe { $0.isolation.memory += 1 } != before)
        #expect(try await recipe { $0.isolation.deadline += .seconds(1) } != before)
        #expect(try await recipe { $0.deadline += .seconds(1) } != before)
    }

    @Test func `no more idle children are kept than the setting allows`() async throws {
        let renderer = try Self.renderer(2)
        let first = try await Self.process(renderer, .source("one"))
        for name in ["two", "three"] { _ = try await Self.process(renderer, .source(name)) }
        #expect(renderer.children.idle.count == 2)
        #expect(try await Self.process(renderer, .source("one")) != first)
        await renderer.shutdown()
    }
}
