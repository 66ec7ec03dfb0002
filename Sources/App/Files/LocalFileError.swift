import CLinux
import Catalog
import CoreFoundation
import Glibc

/// Why a file can't be read or written, as one sentence.
package struct LocalFileError: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// The sentence without the path.
    package let reason: String
    /// Whether a name is the cause, so that other files may still be read and written.
    package var isAboutName = false

    package init(reason: String) {
        self.reason = reason
        description = reason
    }

    init(_ path: String, tooLargeFor bound: String) {
        reason = "The file is larger than \(bound)."
        description = "Can't read \(path): \(reason)"
    }

    init(irregular path: String) {
        reason = "It is not a regular file."
        description = "Can't read \(path): \(reason)"
    }

    /// `verb` completes "can't …"; without `code`, the calling thread's `errno` says why.
    init(_ path: String, _ verb: String, code: Int32 = errno) {
        reason = "\(String(cString: strerror(code)))."
        isAboutName = [ENAMETOOLONG, ENOTDIR, EISDIR, EEXIST, ELOOP, EILSEQ].contains(code)
        description = "Can't \(verb) \(path): \(reason)"
    }
}
