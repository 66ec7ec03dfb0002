import App
import Foundation

/// Small files of `/proc` and `/sys`, which are read whole.
enum ProcFile {
    /// Returns the text; nil if the file can't be read.
    static func text(_ path: String) -> String? {
        guard let bytes = try? LocalFile.read(path, limit: 1 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the first value of a key in lines of `key separator value`, without quotes.
    static func value(of key: String, separator: Character, in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let pair = line.split(separator: separator, maxSplits: 1)
            guard pair.count == 2, trimmed(String(pair[0])) == key else { continue }
            return trimmed(pair[1].filter { $0 != "\"" })
        }
        return nil
    }

    static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
