import Glibc

/// Why the store failed. `description` is for people.
package enum StoreError: Error, Equatable {
    /// The cache directory can't be created, read or written.
    case unusable(path: String, reason: String)
    /// The files on disk have a layout that this program doesn't know.
    case unknownLayout(path: String, found: String)
    /// A process of an earlier version uses the directory.
    case usedByEarlier(path: String)
    /// The disk or the quota is full. Nothing was published.
    case diskFull(path: String)
    /// The cache has reached its budget, and eviction did not make enough room. Nothing was
    /// published.
    case overBudget(path: String, needed: DiskUsage)
    /// Another process holds the lock of a file, because it was stopped. Nothing was published.
    case held(path: String)
    /// A call on one file failed. `operation` is a verb, `code` an `errno`.
    case inputOutput(path: String, operation: String, code: Int32)
    /// This process lacks the rights to one file or directory, or something else is in its place.
    /// `reason` is two sentences: whose it is, and what to do. `isAboveAll` says that all blobs are below it.
    case barred(path: String, operation: String, reason: String, isAboveAll: Bool = false)
    /// Responses have as many files open as they may, or the process has. Retrying soon helps.
    case tooManyFiles
    /// SQLite failed. `reason` is its text, without statements and values.
    case index(reason: String)
    /// The index was closed.
    case stopped

    /// Whether only what belongs to one file or directory can't be read or written. All else can be
    /// tried.
    package var isOfOneFile: Bool {
        switch self {
        case .inputOutput, .barred: true
        case .unusable, .unknownLayout, .usedByEarlier, .diskFull, .overBudget, .held,
            .tooManyFiles, .index, .stopped:
            false
        }
    }

    /// Whether no blob can be written.
    package var isOfAllBlobs: Bool {
        if case .barred(_, _, _, let isAboveAll) = self { isAboveAll } else { !isOfOneFile }
    }

    /// Whether retrying soon is useless. A lock is released soon; a full disk stays full.
    package var isLasting: Bool {
        switch self {
        case .unusable, .unknownLayout, .usedByEarlier, .diskFull, .overBudget, .held,
            .inputOutput, .barred:
            true
        case .tooManyFiles, .index, .stopped: false
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unusable(let path, let reason):
            "The cache directory \(path) can't be used: \(reason). Choose another with --cache."
        case .unknownLayout(let path, let found):
            "The cache directory \(path) was written by a newer version (\(found)). "
                + "Upgrade this program, or choose another directory with --cache."
        case .usedByEarlier(let path):
            "An earlier version uses the cache directory \(path). Stop it first, or choose another "
                + "directory with --cache."
        case .diskFull(let path):
            "The disk of the cache directory \(path) is full. "
                + "Free some space, or choose another with --cache."
        case .overBudget(let path, _):
            "The cache directory \(path) has reached its budget. "
                + "Raise cache.budget or cache.maxFiles, or free space on its disk."
        case .held(let path):
            "Another process holds the lock of \(path) and does not continue. Let it continue "
                + "(kill -CONT), or end it; `fuser \(path)` names it."
        case .inputOutput(let path, let operation, EFBIG):
            "Couldn't \(operation) \(path): it would be larger than this process's files may be. Raise "
                + "the limit (LimitFSIZE in a systemd unit, ulimit -f in a shell)."
        case .inputOutput(let path, let operation, let code):
            "Couldn't \(operation) \(path): \(Errno(code).reason). "
                + "Check the disk, or choose another cache directory with --cache."
        case .barred(let path, let operation, let reason, _):
            "Couldn't \(operation) \(path): \(reason)"
        case .tooManyFiles:
            "Too many files are open. Try again in a moment, or raise the limit of open files "
                + "(LimitNOFILE in a systemd unit, ulimit -n in a shell)."
        case .index(let reason):
            "The cache index failed: \(reason). If that lasts, run `vitrine cache verify --repair`."
        case .stopped:
            "The cache is closed because the program is stopping."
        }
    }
}
