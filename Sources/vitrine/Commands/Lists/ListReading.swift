import App
import Console
import Synchronization

/// Names the lines of a list that can't be read on standard error, and counts them.
final class BadLines: Sendable {
    private let file: String
    private let errors: StandardError
    private let seen = Mutex(0)

    /// - Parameter file: `-` is standard input.
    init(_ file: String, errors: StandardError = .shared) {
        self.file = file
        self.errors = errors
    }

    var count: Int { seen.withLock { $0 } }

    func report(_ bad: BadLine) {
        seen.withLock { $0 += 1 }
        errors.line(text(bad))
    }

    func text(_ bad: BadLine) -> String {
        let name = file == "-" ? "standard input" : file
        return "\(name):\(bad.line): \(bad.reason)\(bad.reason.hasSuffix(".") ? "" : ".")"
    }
}

/// Reads a list of pictures during the run.
final class ListReading: Sendable {
    private let reader: LineReader
    private let parser: Mutex<PictureListParser>
    private let bad: BadLines

    /// - Parameters:
    ///   - file: `-` is standard input.
    ///   - takesPaths: whether a line may be a path.
    init(_ file: String, takesPaths: Bool, _ bad: BadLines) async throws(LocalFileError) {
        self.bad = bad
        parser = Mutex(PictureListParser(takesPaths: takesPaths))
        reader = try await FileThreads.run { () throws(LocalFileError) in try LineReader(file) }
    }

    /// Returns the pictures of the next lines, which may be none; nil after the last line.
    ///
    /// - Throws: `LocalFileError`; ``CommandError`` for a list whose form is unknown.
    func next() async throws -> [ListedPicture]? {
        let lines = try await FileThreads.run { [reader] () throws(LocalFileError) in
            try reader.next()
        }
        guard let lines else {
            do throws(BadLine) {
                try parser.withLock { parser throws(BadLine) in try parser.finish() }
            } catch {
                bad.report(error)
            }
            return nil
        }
        var pictures: [ListedPicture] = []
        for line in lines {
            do throws(BadLine) {
                let picture = try parser.withLock { parser throws(BadLine) in
                    try parser.picture(inLine: line.text, line.number)
                }
                if let picture { pictures.append(picture) }
            } catch {
                if error.isWholeList { throw CommandError(bad.text(error)) }
                bad.report(error)
            }
        }
        return pictures
    }
}
