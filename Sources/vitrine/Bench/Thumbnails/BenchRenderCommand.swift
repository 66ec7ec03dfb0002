import App
import ArgumentParser
import Foundation
import Imaging

/// `vitrine bench` starts this program with this command, so that rendering is measured in a process
/// of its own. Not for people.
struct BenchRenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-render", abstract: "Render what a benchmark sends.",
        shouldDisplay: false)

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        let input = try await FileThreads.run {
            try FileHandle.standardInput.readToEnd() ?? Data()
        }
        let job = try JSONDecoder().decode(RenderJob.self, from: input)
        if job.isLimit {
            var imaging = settings.imaging
            imaging.levels = settings.levels
            return try write(await job.measureLimit(imaging))
        }
        let renderer = try await FileThreads.run { try Renderer.open(settings) }
        let outcome = await job.run(on: renderer, settings.levels)
        await renderer.shutdown()
        try write(outcome)
    }

    private func write(_ outcome: RenderOutcome) throws {
        print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
    }
}
