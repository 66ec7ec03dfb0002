import App
import ArgumentParser
import Console
import Foundation
import Hashing
import Imaging
import Store
import Threads

/// `vitrine-bench` starts itself with this command, so that rendering is measured in a process of its
/// own. Not for people.
struct BenchRenderCommand: AsyncParsableCommand {
    static let name = "bench-render"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Render what a benchmark sends.", shouldDisplay: false)

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let settings = try shared.start()
        let input = try await FileThreads.run {
            try FileHandle.standardInput.readToEnd() ?? Data()
        }
        let job = try JSONDecoder().decode(RenderJob.self, from: input)
        let renderer = try await FileThreads.run { try Renderer.open(settings) }
        let outcome = await job.run(on: renderer, settings.levels)
        await renderer.shutdown()
        print(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
    }
}

/// Pictures to be rendered in a process of its own, as JSON on its standard input.
struct RenderJob: Sendable, Equatable, Codable {
    var files: [String]
    /// Names of configured levels.
    var levels: [String]
    var formats: [ThumbnailFormat]
    /// Pictures under way at once.
    var concurrency: Int
    /// Bytes of an original.
    var maxBytes: Int

    /// Renders every picture once, with the first one before that to warm up.
    func run(on renderer: Renderer, _ levels: [Level]) async -> RenderOutcome {
        let renditions = levels.filter { self.levels.contains($0.name) }.flatMap { level in
            formats.map { Rendition(level: level, format: $0) }
        }
        if let first = files.first { _ = await picture(first, renditions, renderer) }
        // Looking at children takes time of this process, which isn't part of rendering.
        let childrenBefore = ProcessUsage.family()
        let (pictures, wall, own) = await ProcessUsage.measured {
            (try? await files.mapped(concurrency: concurrency) { file in
                await picture(file, renditions, renderer)
            }) ?? []
        }
        let failures = pictures.compactMap(\.failure)
        return RenderOutcome(
            images: pictures.count - failures.count, wall: wall,
            processor: own + ProcessUsage.family() - childrenBefore
                - pictures.reduce(0) { $0 + $1.hashing },
            bytes: pictures.reduce(0) { $0 + $1.bytes },
            peakMemory: ProcessUsage.familyPeakMemory(), errors: failures.count,
            firstError: failures.first, digest: Digest(of: pictures.flatMap(\.digests)).hex)
    }

    /// What came of one picture.
    private struct Picture: Sendable {
        var bytes = 0
        var digests: [UInt8] = []
        var failure: String?
        /// Processor time of hashing the thumbnails, which isn't part of rendering, in seconds.
        var hashing = 0.0
    }

    private func picture(
        _ file: String, _ renditions: [Rendition], _ renderer: Renderer
    ) async -> Picture {
        var picture = Picture()
        do {
            let original = try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.read(file, limit: maxBytes, setting: "imaging.maxBytes")
            }
            let rendering = try await renderer.render(original, renditions)
            let before = ProcessUsage.threadTime()
            for thumbnail in rendering.thumbnails {
                picture.bytes += thumbnail.bytes.count
                picture.digests += Digest(of: thumbnail.bytes).bytes
            }
            picture.hashing = ProcessUsage.threadTime() - before
        } catch {
            picture.failure = "\(file): \((error as? LocalFileError)?.reason ?? "\(error)")"
        }
        return picture
    }
}

/// What a measured renderer says of itself at the end, as one JSON object on standard output. The
/// program that a peer library runs in says the same.
struct RenderOutcome: Sendable, Equatable, Codable {
    var images: Int
    /// Seconds from the first picture to the last, without the start of the process.
    var wall: Double
    /// User and system time over the same span, in seconds.
    var processor: Double
    /// Of all thumbnails.
    var bytes: Int
    /// Largest resident set of the process and its children, in bytes.
    var peakMemory: Int
    var errors: Int
    var firstError: String?
    /// SHA-256 over all thumbnails, in the order of the pictures.
    var digest: String?

    /// The figures of a row, per picture.
    var sample: BenchSample {
        var sample = BenchSample.work(
            images, of: "image", in: .milliseconds, wall: wall, processor: processor)
        sample.add(.bytesOut("KB/image"), Double(bytes) / 1_000 / Double(max(1, images)))
        sample.add(.peakMemory, Double(peakMemory) / 1_000_000)
        (sample.errors, sample.firstError, sample.digest) = (errors, firstError, digest)
        return sample
    }
}
