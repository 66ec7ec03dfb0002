import App
package import Glibc

/// Starts other programs.
package enum ChildSpawn {
    /// What the other program gets as one of its standard descriptors.
    package enum File: Sendable {
        /// A descriptor of this process.
        case descriptor(Int32)
        case reading(String)
        /// Created, or emptied if it exists.
        case writing(String)
    }

    /// Starts a program and returns its process id. Blocks for about a millisecond.
    ///
    /// The program has a process group of its own, so that Ctrl-C reaches only this process, and
    /// the default disposition of the signals that end a program.
    ///
    /// - Parameter files: by standard descriptor; the others are shared with this process.
    /// - Throws: ``CommandError`` if the program can't be started.
    package static func start(
        _ path: String, _ arguments: [String], environment: [String: String],
        files: [Int32: File]
    ) throws(CommandError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, file) in files { add(file, as: descriptor, to: &actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { variables.forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, path, &actions, &attributes, words, variables)
        guard code == 0 else {
            throw CommandError("\(path) can't be started: \(String(cString: strerror(code))).")
        }
        return identifier
    }

    /// This process's environment without its settings, `VITRINE_…` and `OTEL_…`, some of which are
    /// credentials.
    package static var environmentWithoutSettings: [String: String] {
        ProcessEnvironment.values.filter { name, _ in
            !name.hasPrefix("VITRINE_") && !name.hasPrefix("OTEL_")
        }
    }

    private static func add(
        _ file: File, as descriptor: Int32, to actions: inout posix_spawn_file_actions_t
    ) {
        switch file {
        case .descriptor(let own):
            posix_spawn_file_actions_adddup2(&actions, own, descriptor)
        case .reading(let path):
            posix_spawn_file_actions_addopen(&actions, descriptor, path, O_RDONLY, 0)
        case .writing(let path):
            posix_spawn_file_actions_addopen(
                &actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
    }
}
