import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct SparedJPEGTests {
    private let level = Level(name: "s", width: 40, height: 40)

    private func renderer(_ policy: IsolationPolicy) throws -> Renderer {
        var configuration = ImagingConfiguration.patient
        configuration.isolation = policy
        configuration.threads = 1
        return try Renderer(configuration)
    }

    @Test(
        arguments: [
            ("plain JPEG", FixtureImages.jpeg(width: 120, height: 90), [.jpeg, .webp], 0),
            ("plain JPEG as PNG", FixtureImages.jpeg(width: 120, height: 90), [.jpeg, .png], 1),
            (
                "doubtful JPEG",
                FixtureImages.truncated(FixtureImages.jpeg(width: 120, height: 90)),
                [.jpeg], 1
            ),
            (
                "PNG", FixtureImages.png(width: 50, height: 60, .rgba) { x, y, _ in x * y },
                [.jpeg], 1
            ),
        ] as [(String, [UInt8], [ThumbnailFormat], Int)])
    func `a command may render plain JPEGs, and nothing else, in its own process`(
        name: String, original: [UInt8], formats: [ThumbnailFormat], children: Int
    ) async throws {
        let renditions = formats.map { Rendition(level: level, format: $0) }
        var policy = IsolationPolicy.child()
        let isolated = try renderer(policy)
        policy.sparesPlainJPEGs = true
        let inside = try renderer(policy)
        func made(by renderer: Renderer) async -> Result<[[UInt8]], ImagingError> {
            do throws(ImagingError) {
                return .success(
                    try await renderer.render(original, renditions).thumbnails.map(\.bytes))
            } catch {
                return .failure(error)
            }
        }
        #expect(await made(by: inside) == made(by: isolated))
        #expect(inside.children.started == children)
        await inside.shutdown()
        await isolated.shutdown()
    }
}
