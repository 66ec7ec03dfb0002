import FoundationEssentials
import Glibc
import Synchronization
import Threads

/// Objects as files below a directory, which machines may share over a network file system. Any
/// thread.
///
/// An object appears whole under its name, or not at all.
package final class DirectoryStore: ObjectStore {
    package let keepsExisting = true
    private let root: String
    private let number = Atomic<Int>(0)

    /// Files that are being written. No key begins with a dot.
    private static let staging = ".staging"
    private static let maxList = 1_000

    /// Creates the directory if its parent exists. Blocks.
    package init(_ root: String) throws(ObjectError) {
        self.root = root
        for path in [root, "\(root)/\(Self.staging)"] {
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw Self.error(path, errno) }
        }
    }

    package func put(
        _ object: StoredObject, _ key: ObjectKey, _ condition: PutCondition
    ) async throws(ObjectError) -> PutOutcome {
        guard StoredObject(object.bytes).sha256 == object.sha256 else {
            throw .damaged(reason: "they don't have the digest that was named.")
        }
        let number = number.add(1, ordering: .relaxed).newValue
        return try await FileThreads.run { [self] () throws(ObjectError) in
            let target = "\(root)/\(key)"
            let staged = "\(root)/\(Self.staging)/\(getpid())-\(number)"
            defer { unlink(staged) }
            try write(object.bytes, to: staged)
            try makeDirectories(of: key)
            if condition == .always {
                guard rename(staged, target) == 0 else { throw error(target) }
                return .stored
            }
            if link(staged, target) == 0 { return .stored }
            guard errno == EEXIST else { throw error(target) }
            return .existed
        }
    }

    package func get(_ key: ObjectKey, limit: Int) async throws(ObjectError) -> [UInt8]? {
        try await FileThreads.run { [self] () throws(ObjectError) in
            let path = "\(root)/\(key)"
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return try missing(path) }
            defer { close(file) }
            var status = stat()
            guard fstat(file, &status) == 0 else { throw error(path) }
            guard status.st_mode & S_IFMT == S_IFREG else { return nil }
            guard Int(status.st_size) <= limit else { throw .tooLarge(limit: limit) }
            var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
            var count = 0
            while count < bytes.count {
                let taken = bytes.withUnsafeMutableBytes {
                    read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
                }
                if taken < 0, errno == EINTR { continue }
                guard taken >= 0 else { throw error(path) }
                if taken == 0 { break }
                count += taken
            }
            return Array(bytes.prefix(count))
        }
    }

    package func head(_ key: ObjectKey) async throws(ObjectError) -> ObjectHead? {
        try await FileThreads.run { [self] () throws(ObjectError) in
            var status = stat()
            let path = "\(root)/\(key)"
            guard lstat(path, &status) == 0 else { return try missing(path) }
            guard status.st_mode & S_IFMT == S_IFREG else { return nil }
            return ObjectHead(byteCount: Int(status.st_size))
        }
    }

    package func delete(_ key: ObjectKey) async throws(ObjectError) {
        try await FileThreads.run { [self] () throws(ObjectError) in
            let path = "\(root)/\(key)"
            guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
                throw error(path)
            }
        }
    }

    package func list(
        prefix: String, after: String?, limit: Int
    ) async throws(ObjectError) -> ObjectList {
        let limit = max(1, min(limit, Self.maxList))
        return try await FileThreads.run { [self] () throws(ObjectError) in
            var entries: [ObjectList.Entry] = []
            try walk("", prefix, after, upTo: limit + 1, into: &entries)
            return ObjectList(
                entries: Array(entries.prefix(limit)), isTruncated: entries.count > limit)
        }
    }

    /// Adds the objects below a directory in the order of their keys. A directory counts with its
    /// slash, because that is where its objects stand in that order.
    private func walk(
        _ directory: String, _ prefix: String, _ after: String?, upTo limit: Int,
        into entries: inout [ObjectList.Entry]
    ) throws(ObjectError) {
        for name in try names(in: directory) {
            if entries.count >= limit { return }
            let path = directory + name
            if path.hasSuffix("/") {
                guard path.hasPrefix(prefix) || prefix.hasPrefix(path) else { continue }
                // All its keys begin with the path, so none comes after this.
                if let after, !after.hasPrefix(path), Self.isBefore(path, after) { continue }
                try walk(path, prefix, after, upTo: limit, into: &entries)
            } else if path.hasPrefix(prefix), after.map({ Self.isBefore($0, path) }) ?? true {
                var status = stat()
                // It may have been removed meanwhile.
                guard lstat("\(root)/\(path)", &status) == 0 else { continue }
                let modified = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
                entries.append(
                    .init(
                        key: path, byteCount: Int(status.st_size),
                        modifiedAt: Date(timeIntervalSince1970: modified)))
            }
        }
    }

    private func names(in directory: String) throws(ObjectError) -> [String] {
        let path = "\(root)/\(directory)"
        guard let stream = opendir(path) else {
            if errno == ENOENT { return [] }
            throw error(path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(".") { continue }
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0 else { continue }
            names.append(status.st_mode & S_IFMT == S_IFDIR ? "\(name)/" : name)
        }
        return names.sorted(by: Self.isBefore)
    }

    /// Compares bytes. Swift's own order follows Unicode.
    private static func isBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private func write(_ bytes: [UInt8], to path: String) throws(ObjectError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw error(path) }
        defer { close(file) }
        var count = 0
        while count < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(file, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw error(path) }
            count += written
        }
        // Confirmed means that it survives a power cut, as in any such store.
        guard fsync(file) == 0 else { throw error(path) }
    }

    private func makeDirectories(of key: ObjectKey) throws(ObjectError) {
        var path = root
        for part in key.text.split(separator: "/").dropLast() {
            path += "/\(part)"
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw error(path) }
        }
    }

    private func missing<Value>(_ path: String) throws(ObjectError) -> Value? {
        guard errno == ENOENT || errno == ENOTDIR else { throw error(path) }
        return nil
    }

    /// Converts the failure of a call on a path. One file or directory that can't be used says nothing of the store.
    private func error(_ path: String) -> ObjectError {
        let code = errno
        let reason = "\(path): \(String(cString: strerror(code)))."
        let isShared = path == root || path.hasPrefix("\(root)/\(Self.staging)")
        if !isShared, [EACCES, EPERM, ENOTDIR, EIO, ELOOP].contains(code),
            access(root, R_OK | W_OK | X_OK) == 0
        {
            return .damaged(reason: reason)
        }
        return Self.error(path, code)
    }

    private static func error(_ path: String, _ code: Int32) -> ObjectError {
        let reason = "\(path): \(String(cString: strerror(code)))."
        return code == EACCES || code == EPERM
            ? .forbidden(reason: reason) : .unavailable(reason: reason)
    }
}
