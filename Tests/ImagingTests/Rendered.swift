import TestSupport

@testable import Imaging

extension ImagingConfiguration {
    func with(_ change: (inout ImagingConfiguration) -> Void) -> ImagingConfiguration {
        var copy = self
        change(&copy)
        return copy
    }

    /// One thread, which renders as the policy says.
    static func isolated(_ policy: IsolationPolicy) -> ImagingConfiguration {
        patient.with {
            $0.isolation = policy
            $0.threads = 1
        }
    }
}

extension Rendition {
    static let tiny = Rendition(level: Level(name: "s", width: 8, height: 8), format: .png)
}

/// Runs with a renderer, which is shut down afterwards, whatever happens.
func withRenderer<Value: Sendable>(
    _ configuration: ImagingConfiguration = .patient, _ body: (Renderer) async throws -> Value
) async throws -> Value {
    let renderer = try Renderer(configuration)
    do {
        let value = try await body(renderer)
        await renderer.shutdown()
        return value
    } catch {
        await renderer.shutdown()
        throw error
    }
}

/// Renders by a renderer of its own.
func rendered(
    _ original: [UInt8], _ renditions: [Rendition] = [.tiny],
    _ configuration: ImagingConfiguration = .patient, for group: IsolationGroup = .local
) async throws -> Rendering {
    try await withRenderer(configuration) {
        try await $0.render(original, renditions, for: group)
    }
}

extension Renderer {
    /// The bytes of thumbnails, or why there are none.
    func outcome(
        _ original: [UInt8], _ renditions: [Rendition]
    ) async -> Result<[[UInt8]], ImagingError> {
        do throws(ImagingError) {
            return .success(try await render(original, renditions).thumbnails.map(\.bytes))
        } catch {
            return .failure(error)
        }
    }
}
