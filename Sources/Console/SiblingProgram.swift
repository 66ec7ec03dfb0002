import Glibc

/// The other programs of the package, which lie beside this one.
package enum SiblingProgram {
    /// Returns the path of a program in the directory of another.
    ///
    /// - Parameters:
    ///   - name: file name of the program, such as `vitrine-demo`.
    ///   - purpose: what it is, as the begin of a sentence: `The demo`.
    /// - Throws: ``CommandError`` if it isn't there or can't be run.
    package static func path(
        _ name: String, _ purpose: String, beside program: String = "/proc/self/exe"
    ) throws(CommandError) -> String {
        guard let resolved = realpath(program, nil) else {
            throw CommandError("\(program) can't be resolved, so \(name) can't be found.")
        }
        defer { free(resolved) }
        let directory = String(cString: resolved).split(
            separator: "/", omittingEmptySubsequences: false
        ).dropLast().joined(separator: "/")
        let path = "\(directory)/\(name)"
        guard access(path, X_OK) == 0 else {
            throw CommandError(
                "\(purpose) is a program of its own, and \(path) is missing. Install the package "
                    + "vitrine-demo, or build it with: make build")
        }
        return path
    }

    /// Replaces this process by a program, which gets its arguments, environment and descriptors.
    /// Returns only by throwing.
    package static func become(_ path: String, _ arguments: [String]) throws(CommandError) {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        execv(path, words)
        throw CommandError("\(path) can't be started: \(String(cString: strerror(errno))).")
    }
}
