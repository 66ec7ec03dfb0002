import App
import CLinux
import Catalog
import CoreFoundation
import Glibc

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
            guard pair.count == 2, String(pair[0]).trimmed == key else { continue }
            return pair[1].filter { $0 != "\"" }.trimmed
        }
        return nil
    }
}
