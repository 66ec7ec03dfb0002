import CLinux
import Glibc

package enum LocalFile {
    /// Returns whether all changes of a file are made by this machine, so that its attributes are never old
    /// and never wait for a server. Blocks.
    package static func isLocal(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return vitrine_is_local(descriptor)
    }
}
