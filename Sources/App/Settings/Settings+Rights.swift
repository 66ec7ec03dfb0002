import Logging
import Store

/// What a process of root may do with a cache of another account: files that root makes there can't be read
/// by that account's service, which then can't store what belongs beside them.
extension Settings {
    /// Takes the rights of the cache's owner for good, for a command. Warns if that isn't possible. Call it
    /// before anything is made in the cache. Blocks.
    package func takeRightsOfCache() {
        guard let owner = CacheOwner.besidesRoot(of: cacheDirectory) else { return }
        let logger = Logger(label: "vitrine")
        if owner.takeRights() {
            logger.notice(
                """
                The cache directory \(cacheDirectory) belongs to \(owner.name), so this command runs with that \
                account's rights, also when it reads or writes other files.
                """)
        } else {
            logger.warning("\(Self.mixture(owner, cacheDirectory))")
        }
    }

    /// Warns of a service that runs as root on a cache of another account. It keeps its rights, which it may need
    /// for folders, ports and certificates. Blocks.
    package func warnOfRights() {
        guard let owner = CacheOwner.besidesRoot(of: cacheDirectory) else { return }
        Logger(label: "vitrine").warning("\(Self.mixture(owner, cacheDirectory))")
    }

    private static func mixture(_ owner: CacheOwner, _ directory: String) -> String {
        """
        This program runs as root, and the cache directory \(directory) belongs to \(owner.name), which can't use \
        what root stores there. Run it as \(owner.name), or give the directory to root (chown -R root).
        """
    }
}
