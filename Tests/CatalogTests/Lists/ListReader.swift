import Catalog

/// A list as a reader sees it.
struct ReadList: Equatable {
    /// `line place id title`.
    var pictures: [String] = []
    var bad: [BadLine] = []
    /// Why the list can't be read as a whole.
    var refusal: String?

    init(_ text: String, _ columns: ListColumns = ListColumns(), takesPaths: Bool = false) {
        self.init(Array(text.utf8), columns, takesPaths: takesPaths)
    }

    init(_ bytes: [UInt8], _ columns: ListColumns = ListColumns(), takesPaths: Bool = false) {
        var parser = PictureListParser(columns, takesPaths: takesPaths)
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        do throws(UnreadableList) {
            for (index, line) in lines.enumerated() {
                add(try parser.rows(ofLine: line, index + 1))
            }
            add(try parser.finish())
        } catch {
            refusal = error.reason
        }
    }

    private mutating func add(_ rows: [ListedRow]) {
        for row in rows {
            switch row {
            case .success(let picture):
                let parts = [picture.place, picture.id ?? "-", picture.title ?? "-"]
                pictures.append("\(picture.line) \(parts.joined(separator: " "))")
            case .failure(let line): bad.append(line)
            }
        }
    }
}
