import App
import Console
import Fetch
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store
import Synchronization
import Threads

/// Makes and writes all thumbnails of many pictures, several under way at once.
struct ThumbRun: Sendable {
    let renderer: Renderer
    /// nil if no input is a URL.
    let fetcher: Fetcher?
    let renditions: [Rendition]
    /// Bytes of an original.
    let maxBytes: Int
    /// Room for the originals under way.
    let budget: ByteBudget
    let directory: String
    /// Gathers what it shows.
    var sheet: ThumbSheet?
    /// Whether thumbnails that are there are made again.
    var isForced = false
    /// Whether nothing is read or written.
    var isDryRun = false
    /// Whether outcomes have details, which unchanged pictures are read for.
    var isDetailed = false

    struct Outcome: Sendable, Equatable {
        enum End: Sendable, Equatable {
            case made
            /// All thumbnails were there.
            case kept
            /// Says why as one sentence.
            case failed(String)
        }

        var input: ThumbInput
        var end = End.made
        /// Thumbnails written, and their bytes.
        var thumbnails = 0
        var bytes = 0
        /// Paths of all thumbnails, also of those that were there.
        var outputs: [String] = []
        /// Of the original; nil if details are not wanted or not known.
        var digest: Digest?
        var byteCount = 0
        var summary: PictureSummary?
        var took = Duration.zero
    }

    /// `report` is called as each input ends. A picture that can't be had or rendered fails alone;
    /// a directory that can't be written to ends the run.
    ///
    /// - Throws: ``LocalFileError``, what `report` throws, `CancellationError`.
    func run(
        _ inputs: [ThumbInput], concurrency: Int,
        report: @Sendable (Outcome) async throws -> Void
    ) async throws {
        var waiting = inputs.makeIterator()
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            func startNext() {
                guard let input = waiting.next() else { return }
                group.addTask { try await outcome(of: input) }
            }
            for _ in 0..<max(1, concurrency) { startNext() }
            while let outcome = try await group.next() {
                try await report(outcome)
                startNext()
            }
        }
        try Task.checkCancellation()
    }

    /// Stops the threads of rendering and fetching.
    func shutdown() async {
        await fetcher?.shutdown()
        await renderer.shutdown()
    }

    private func outcome(of input: ThumbInput) async throws -> Outcome {
        try Task.checkCancellation()
        let start = ContinuousClock.now
        var outcome = Outcome(input: input)
        do {
            try await make(&outcome)
        } catch let error as LocalFileError where error.isAboutName {
            outcome.end = .failed(error.reason)
        } catch let failure as CommandError {
            try Task.checkCancellation()
            outcome.end = .failed(failure.description)
        }
        if case .failed = outcome.end { (outcome.outputs, outcome.thumbnails) = ([], 0) }
        outcome.took = .now - start
        return outcome
    }

    /// - Throws: ``CommandError`` if the picture is at fault and not the run; ``LocalFileError`` if a
    ///   thumbnail can't be written.
    private func make(_ outcome: inout Outcome) async throws {
        let input = outcome.input
        if let problem = input.problem { throw CommandError(problem) }
        let found = await FileThreads.run { self.stamp(of: input) }
        guard let stamp = found else { throw CommandError("No such file or directory.") }
        let missing =
            isForced
            ? renditions
            : await FileThreads.run {
                renditions.filter { !isMade($0, of: input, stamp) }
            }
        outcome.end = missing.isEmpty ? .kept : .made
        outcome.outputs = renditions.map { path($0, of: input) }
        outcome.thumbnails = missing.count
        if isDryRun { return }
        var wanted = missing
        wanted += (sheet?.renditions ?? []).filter { !missing.contains($0) }
        if wanted.isEmpty, isDetailed {
            wanted = [renditions.min { $0.level.width < $1.level.width }].compactMap(\.self)
        }
        if wanted.isEmpty { return }
        let rendering: Rendering
        do {
            let (original, hold) = try await original(input.place)
            // Until it is rendered.
            defer { withExtendedLifetime(hold) {} }
            rendering = try await renderer.render(original, wanted)
            if isDetailed {
                outcome.digest = await FileThreads.run { Digest(of: original) }
                (outcome.byteCount, outcome.summary) = (original.count, rendering.summary)
            }
        } catch {
            throw CommandError((error as? LocalFileError)?.reason ?? "\(error)")
        }
        sheet?.add(rendering.thumbnails, of: input)
        let made = rendering.thumbnails.prefix(missing.count)
        try await FileThreads.run { () throws(LocalFileError) in
            let below = LocalFile.directory(of: input.name)
            if !below.isEmpty { try LocalFile.makeDirectory("\(directory)/\(below)") }
            for thumbnail in made {
                let isPlanar = rendering.isWithoutLibvips && thumbnail.lane == .planar
                try LocalFile.replace(
                    path(thumbnail.rendition, of: input), with: thumbnail.bytes,
                    note: mark(thumbnail.rendition, isPlanar ? .planar : .libvips, stamp))
            }
        }
        outcome.bytes = made.reduce(0) { $0 + $1.bytes.count }
    }

    /// Returns what changes with the picture: its place, size and time; nil if it is missing. Blocks on the disk.
    private func stamp(of input: ThumbInput) -> String? {
        switch input.place {
        case .file(let path): LocalFile.stamp(path).map { "file \($0)" }
        // Another picture at the URL is only found by fetching it.
        case .url(let url): "url \(url)"
        }
    }

    /// Returns whether a thumbnail is up to date. Blocks on the disk.
    private func isMade(_ rendition: Rendition, of input: ThumbInput, _ stamp: String) -> Bool {
        guard let note = LocalFile.note(of: path(rendition, of: input)) else { return false }
        // The cheap one first.
        return [Lane.planar, .libvips].contains { note == mark(rendition, $0, stamp) }
    }

    /// Returns the note on a thumbnail's file that says what it was made from, and how. A later run leaves
    /// the file alone if it would write the same.
    ///
    /// - Parameters:
    ///   - lane: planar if libvips' version has no part in the bytes.
    ///   - stamp: of the picture.
    private func mark(_ rendition: Rendition, _ lane: Lane, _ stamp: String) -> String? {
        let recipe: String
        switch lane {
        case .planar:
            guard let planar = renderer.recipeWithoutLibvips(for: rendition) else { return nil }
            recipe = planar
        case .libvips: recipe = renderer.recipe(for: rendition)
        }
        let level = rendition.level
        let whole =
            "\(level.name) \(level.width)x\(level.height) \(rendition.format.rawValue) \(recipe) "
            + stamp
        return Self.markBeginning + "\(Digest(of: Array(whole.utf8)))".prefix(32)
    }

    private static let markBeginning = "thumb1 "

    /// Returns whether the note on a file is that of a thumbnail.
    static func isMark(_ note: String) -> Bool { note.hasPrefix(markBeginning) }

    /// `DIR/<name>.<level>.<extension>`.
    private func path(_ rendition: Rendition, of input: ThumbInput) -> String {
        let file = "\(input.name).\(rendition.level.name).\(rendition.format.fileExtension)"
        return "\(directory)/\(file)"
    }

    /// With its room.
    private func original(
        _ place: ThumbInput.Place
    ) async throws -> (bytes: [UInt8], hold: ByteBudget.Hold?) {
        switch place {
        case .file(let path):
            let size = await FileThreads.run { LocalFile.size(path) }
            let hold = try await budget.reserve(min(size, maxBytes))
            let bytes = try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.read(path, limit: maxBytes, setting: "imaging.maxBytes")
            }
            return (bytes, hold)
        case .url(let url):
            guard let fetcher else { throw FetchError(.stopped) }
            var request = FetchRequest(url: url, purpose: .original, maxBytes: maxBytes)
            request.budget = budget
            let response = try await fetcher.fetch(request)
            guard response.hasWholeBody else {
                throw CommandError("The origin answered \(response.status).")
            }
            return (response.body, response.hold)
        }
    }
}
