import App
import CoreFoundation
import FoundationEssentials
import Imaging
import Store

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
    /// Whether only the calls of the libraries are measured.
    var isLimit = false

    /// Makes every picture's thumbnails once; the processor time is that of the libraries alone.
    func measureLimit(_ imaging: ImagingConfiguration) async -> RenderOutcome {
        let renditions = renditions(imaging.levels)
        if let first = files.first { _ = await limit(first, renditions, imaging) }
        let started = ContinuousClock.now
        let pictures = await inOrder { await limit($0, renditions, imaging) }
        let wall = started.duration(to: .now) / .seconds(1)
        let failures = pictures.compactMap(\.failure)
        return RenderOutcome(
            images: pictures.count - failures.count, wall: wall,
            processor: pictures.reduce(0) { $0 + $1.worked },
            bytes: pictures.reduce(0) { $0 + $1.bytes },
            peakMemory: ProcessUsage.familyPeakMemory(), errors: failures.count,
            firstError: failures.first)
    }

    private func limit(
        _ file: String, _ renditions: [Rendition], _ imaging: ImagingConfiguration
    ) async -> Picture {
        var picture = Picture()
        do {
            let calls = try await FileThreads.run {
                try LibraryCalls(
                    of: LocalFile.read(file, limit: maxBytes, setting: "imaging.maxBytes"),
                    renditions, imaging)
            }
            picture.worked = calls.time / .seconds(1)
            picture.bytes = calls.bytes
        } catch {
            picture.failure = "\(file): \((error as? LocalFileError)?.reason ?? "\(error)")"
        }
        return picture
    }

    private func renditions(_ levels: [Level]) -> [Rendition] {
        levels.filter { self.levels.contains($0.name) }.flatMap { level in
            formats.map { Rendition(level: level, format: $0) }
        }
    }

    /// Renders every picture once, with the first one before that to warm up.
    func run(on renderer: Renderer, _ levels: [Level]) async -> RenderOutcome {
        let renditions = renditions(levels)
        if let first = files.first { _ = await picture(first, renditions, renderer) }
        // Looking at children takes time of this process, which isn't part of rendering.
        let childrenBefore = ProcessUsage.descendants()
        let (before, started) = (ProcessUsage.own(), ContinuousClock.now)
        let pictures = await inOrder { await picture($0, renditions, renderer) }
        let wall = started.duration(to: .now) / .seconds(1)
        let own = ProcessUsage.own() - before
        let used = own + (ProcessUsage.descendants() - childrenBefore)
        let hashing = pictures.reduce(0) { $0 + $1.hashing }
        let failures = pictures.compactMap(\.failure)
        return RenderOutcome(
            images: pictures.count - failures.count, wall: wall,
            processor: used.processor - hashing,
            bytes: pictures.reduce(0) { $0 + $1.bytes },
            peakMemory: ProcessUsage.familyPeakMemory(),
            faults: used.faults, majorFaults: used.majorFaults, errors: failures.count,
            firstError: failures.first,
            digest: Digest(of: pictures.flatMap(\.digests)).hex,
            stages: [
                .init(name: "read", seconds: pictures.reduce(0) { $0 + $1.read }),
                .init(name: "render", seconds: pictures.reduce(0) { $0 + $1.worked }),
            ])
    }

    /// What came of one picture.
    private struct Picture: Sendable {
        var bytes = 0
        var digests: [UInt8] = []
        var failure: String?
        /// Seconds.
        var read = 0.0
        var worked = 0.0
        /// Processor time of hashing the thumbnails, which isn't part of rendering.
        var hashing = 0.0
    }

    /// Results in the order of the files.
    private func inOrder(
        _ make: @escaping @Sendable (_ file: String) async -> Picture
    ) async -> [Picture] {
        await withTaskGroup(of: (Int, Picture).self) { group in
            var next = 0
            func startNext() {
                guard next < files.count else { return }
                let (position, file) = (next, files[next])
                next += 1
                group.addTask { (position, await make(file)) }
            }
            for _ in 0..<max(1, concurrency) { startNext() }
            var pictures = [Picture](repeating: Picture(), count: files.count)
            for await (position, picture) in group {
                pictures[position] = picture
                startNext()
            }
            return pictures
        }
    }

    private func picture(
        _ file: String, _ renditions: [Rendition], _ renderer: Renderer
    ) async -> Picture {
        var picture = Picture()
        let started = ContinuousClock.now
        do {
            let original = try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.read(file, limit: maxBytes, setting: "imaging.maxBytes")
            }
            picture.read = started.duration(to: .now) / .seconds(1)
            let rendering = try await renderer.render(original, renditions)
            picture.worked = rendering.worked / .seconds(1)
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
