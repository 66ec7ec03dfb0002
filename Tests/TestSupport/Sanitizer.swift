import Glibc

/// What `swift test --sanitize=address` and `--sanitize=thread` change.
package enum Sanitizer {
    /// Whether one is active. Memory then takes several times as much and is not limited, and a
    /// process that crashes is ended by it.
    package static let isAtWork =
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
