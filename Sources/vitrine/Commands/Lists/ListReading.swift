import App
import Catalog
import Console
import Synchronization
import Threads

/// Reads a list of pictures during the run.
final class ListReading: Sendable {
    private let reader: LineReader
    private let parser: Mutex<PictureListParser>
    private let bad: BadLines?

    /// - Parameters:
    ///   - file: `-` is standard input.
    ///   - takesPaths: whether a line may be a path.
    ///   - bad: says why a list can't be read, and counts the lines of it that can't.
    init(
        _ file: String, _ columns: ListColumns = ListColumns(), takesPaths: Bool, _ bad: BadLines?
    ) async throws(LocalFileError) {
        self.bad = bad
        parser = Mutex(PictureListParser(columns, takesPaths: takesPaths))
        reader = try await FileThreads.run { () throws(LocalFileError) in try LineReader(file) }
    }

    /// Returns the pictures of the next lines, which may be none; nil after the last line. Names the lines
    /// that can't be read.
    ///
    /// - Throws: `LocalFileError`; ``CommandError`` for a list that can't be read.
    func next() async throws -> [ListedPicture]? {
        try await rows()?.compactMap { row in
            switch row {
            case .success(let picture): return picture
            case .failure(let line):
                bad?.report(line)
                return nil
            }
        }
    }

    /// Returns the rows of the next lines, which may be none, in their order; nil after the last line.
    ///
    /// - Throws: as ``next()`` does.
    func rows() async throws -> [ListedRow]? {
        let lines = try await reader.lines()
        let rows: [ListedRow]
        do throws(UnreadableList) {
            rows = try parser.withLock { parser throws(UnreadableList) in
                guard let lines else { return try parser.finish() }
                var rows: [ListedRow] = []
                for line in lines {
                    rows += try parser.rows(ofLine: Array(line.text.utf8)[...], line.number)
                }
                return rows
            }
        } catch {
            throw bad?.error(error) ?? error
        }
        return lines == nil && rows.isEmpty ? nil : rows
    }
}

extension LineReader {
    /// One may wait for standard input for ever.
    private static let threads = ThreadPool("lists", count: 2, .forServer)

    /// Returns the next lines, at least one; nil after the last.
    ///
    /// - Throws: `LocalFileError`; `CancellationError` at once when the task is canceled.
    func lines() async throws -> [Line]? {
        try await Self.threads.run {
            try self.next()
        } abandon: { _ in
        }
    }
}
