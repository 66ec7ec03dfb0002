import App
import Fetch
import Imaging
import Memory

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

    struct Outcome: Sendable, Equatable {
        var input: ThumbInput
        /// Thumbnails written, and their bytes.
        var thumbnails = 0
        var bytes = 0
        /// Why no thumbnails were made, as one sentence.
        var failure: String?
    }

    /// `report` is called as each input ends. A picture that can't be had or rendered fails alone;
    /// a directory that can't be written to ends the run.
    func run(
        _ inputs: [ThumbInput], concurrency: Int, report: (Outcome) -> Void
    ) async throws(LocalFileError) {
        var waiting = inputs.makeIterator()
        let failure: LocalFileError? = await withTaskGroup(
            of: Result<Outcome, LocalFileError>.self
        ) { group in
            func startNext() {
                guard let input = waiting.next() else { return }
                group.addTask { await thumbnails(of: input) }
            }
            for _ in 0..<max(1, concurrency) { startNext() }
            for await result in group {
                switch result {
                case .success(let outcome): report(outcome)
                case .failure(let error):
                    group.cancelAll()
                    return error
                }
                startNext()
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Stops the threads of rendering and fetching.
    func shutdown() async {
        await fetcher?.shutdown()
        await renderer.shutdown()
    }

    private func thumbnails(of input: ThumbInput) async -> Result<Outcome, LocalFileError> {
        var outcome = Outcome(input: input)
        let rendering: Rendering
        do {
            let extra = (sheet?.renditions ?? []).filter { !renditions.contains($0) }
            let (original, hold) = try await original(input.place)
            // Until it is rendered.
            defer { withExtendedLifetime(hold) {} }
            rendering = try await renderer.render(original, renditions + extra)
        } catch {
            outcome.failure = (error as? LocalFileError)?.reason ?? "\(error)"
            return .success(outcome)
        }
        sheet?.add(rendering.thumbnails, of: input)
        let thumbnails = rendering.thumbnails.prefix(renditions.count)
        do throws(LocalFileError) {
            try await FileThreads.run { () throws(LocalFileError) in
                for thumbnail in thumbnails {
                    try LocalFile.replace(path(of: thumbnail, of: input), with: thumbnail.bytes)
                }
            }
        } catch {
            return .failure(error)
        }
        outcome.thumbnails = thumbnails.count
        outcome.bytes = thumbnails.reduce(0) { $0 + $1.bytes.count }
        return .success(outcome)
    }

    /// `DIR/<name>.<level>.<extension>`.
    private func path(of thumbnail: Thumbnail, of input: ThumbInput) -> String {
        let rendition = thumbnail.rendition
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
            guard let fetcher else { throw FetchError.stopped }
            var request = FetchRequest(url: url, purpose: .original, maxBytes: maxBytes)
            request.budget = budget
            let response = try await fetcher.fetch(request)
            guard response.status == 200 else {
                throw CommandError("The origin answered \(response.status).")
            }
            return (response.body, response.hold)
        }
    }
}
