import App
import CoreFoundation
import FoundationEssentials
import Glibc
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

    /// Renders every picture once, with the first one before that to warm up.
    func run(on renderer: Renderer, _ levels: [Level]) async -> RenderOutcome {
        let renditions = levels.filter { self.levels.contains($0.name) }.flatMap { level in
            formats.map { Rendition(level: level, format: $0) }
        }
        if let first = files.first { _ = await picture(first, renditions, renderer) }
        let (started, before) = (ContinuousClock.now, ProcessUsage.now())
        let pictures = await all(renditions, renderer)
        let wall = started.duration(to: .now) / .seconds(1)
        let after = ProcessUsage.now()
        let hashing = pictures.reduce(0) { $0 + $1.hashing }
        let failures = pictures.compactMap(\.failure)
        return RenderOutcome(
            images: pictures.count - failures.count, wall: wall,
            processor: after.processor - before.processor - hashing,
            bytes: pictures.reduce(0) { $0 + $1.bytes }, peakMemory: ProcessUsage.peakMemory(),
            faults: after.faults - before.faults,
            majorFaults: after.majorFaults - before.majorFaults, errors: failures.count,
            firstError: failures.first,
            digest: Digest(of: pictures.flatMap(\.digests)).hex,
            stages: [
                .init(name: "read", seconds: pictures.reduce(0) { $0 + $1.read }),
                .init(name: "queue", seconds: pictures.reduce(0) { $0 + $1.queued }),
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
        var queued = 0.0
        var worked = 0.0
        /// Processor time of hashing the thumbnails, which isn't part of rendering.
        var hashing = 0.0
    }

    /// Results in the order of the files.
    private func all(_ renditions: [Rendition], _ renderer: Renderer) async -> [Picture] {
        await withTaskGroup(of: (Int, Picture).self) { group in
            var next = 0
            func startNext() {
                guard next < files.count else { return }
                let (position, file) = (next, files[next])
                next += 1
                group.addTask { (position, await picture(file, renditions, renderer)) }
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
            picture.queued = rendering.queued / .seconds(1)
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

/// What this process and its children have used until now.
struct ProcessUsage: Sendable {
    /// User and system time in seconds.
    var processor: Double
    var faults: Int
    var majorFaults: Int

    static func now() -> ProcessUsage {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        // Children that render live on, so that only the kernel's list of processes has their time.
        let own = Int(getpid())
        let children = ProcessTree.now().family(of: own).filter { $0.identifier != own }
        let ticks = children.reduce(0) { $0 + $1.ticks }
        return ProcessUsage(
            processor: usage.ru_utime.seconds + usage.ru_stime.seconds
                + Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))),
            faults: usage.ru_minflt, majorFaults: usage.ru_majflt)
    }

    /// The largest resident set of this process so far, in bytes; 0 where the kernel doesn't say.
    /// `getrusage` would count what the process that started this one had.
    static func peakMemory() -> Int {
        let text = ProcFile.text("/proc/self/status") ?? ""
        let kilobytes = BenchMachine.value(of: "VmHWM", separator: ":", in: text)?
            .split(separator: " ").first.flatMap { Int($0) }
        return (kilobytes ?? 0) * 1_024
    }

    /// Processor time of the calling thread in seconds.
    static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
