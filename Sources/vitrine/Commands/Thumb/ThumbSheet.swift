import App
import Console
import Imaging
import Serve
import Synchronization
import Threads

/// Collects the thumbnails of one level and writes them as one sheet. Thread-safe.
///
/// It writes `DIR/sheet.<level>.<ext>` in every format, and `DIR/sheet.<level>.json` with the
/// positions.
final class ThumbSheet: Sendable {
    /// Names of a sheet's files begin with this.
    static let name = "sheet"

    let level: Level
    private let formats: [ThumbnailFormat]
    private let layout: SheetLayout
    private let inputs: [ThumbInput]
    private let made = Mutex<[ThumbInput.Key: [Thumbnail]]>([:])

    /// - Throws: a usage error if one sheet can't hold this many pictures.
    init(
        of inputs: [ThumbInput], _ level: Level, _ formats: [ThumbnailFormat],
        policy: SheetPolicy
    ) throws(CommandError) {
        layout = SheetLayout(count: inputs.count, level: level)
        guard policy.allows(layout) else {
            throw .usage(
                "--sheet: \(inputs.count) pictures at level \(level.name) make \(layout.width)×"
                    + "\(layout.height) pixels, more than the \(policy.maxPixels) of a sheet; take a "
                    + "smaller --sheet-level, or fewer pictures.")
        }
        self.inputs = inputs
        self.level = level
        self.formats = formats
    }

    var renditions: [Rendition] { formats.map { Rendition(level: level, format: $0) } }

    func add(_ thumbnails: [Thumbnail], of input: ThumbInput) {
        let own = thumbnails.filter { $0.rendition.level == level }
        made.withLock { $0[input.key] = own }
    }

    /// Writes the sheet and returns the paths of its files. A failed picture appears as the
    /// placeholder.
    func write(to directory: String, by renderer: Renderer) async throws -> [String] {
        let made = made.withLock { $0 }
        var written: [String] = []
        let empty = SheetDocument(
            url: "\(Self.name).\(level.name).\(formats.first?.fileExtension ?? "")",
            layout: layout)
        var document = empty
        for format in formats {
            let rendition = Rendition(level: level, format: format)
            let placeholder = try await renderer.placeholder(rendition)
            var thumbnails: [[UInt8]] = []
            document = empty
            for (index, input) in inputs.enumerated() {
                let own = made[input.key]?.first { $0.rendition == rendition }
                let shown = own ?? placeholder
                thumbnails.append(shown.bytes)
                document.add(
                    item: input.name,
                    layout.frame(index, width: shown.width, height: shown.height),
                    isPlaceholder: own == nil)
            }
            let bytes = try await renderer.sheet(thumbnails, layout, format)
            written.append(try await write(bytes, format.fileExtension, to: directory))
        }
        written.append(try await write(document.json, "json", to: directory))
        return written
    }

    private func write(
        _ bytes: [UInt8], _ fileExtension: String, to directory: String
    ) async throws -> String {
        let path = "\(directory)/\(Self.name).\(level.name).\(fileExtension)"
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.replace(path, with: bytes)
        }
        return path
    }
}
