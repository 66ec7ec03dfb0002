package import Glibc

/// Accounts of this machine.
package enum Account {
    /// Returns the name of an account, or its number if it has none. Blocks, and may ask a directory
    /// service.
    package static func name(_ id: uid_t) -> String {
        entry(id)?.name ?? "user \(id)"
    }

    private static func entry(_ id: uid_t) -> (name: String, group: gid_t)? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        // Far more than the lines of usual accounts have.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { text in
            guard let base = text.baseAddress,
                getpwuid_r(id, &entry, base, text.count, &found) == 0, found != nil,
                let name = entry.pw_name
            else { return nil }
            return (String(cString: name), entry.pw_gid)
        }
    }

    /// Takes the rights of an account for good, with all threads and later children. Only root can.
    ///
    /// - Parameter group: for an account that the machine doesn't know.
    /// - Returns: whether it succeeded. Otherwise nothing has changed.
    package static func take(_ id: uid_t, group: gid_t) -> Bool {
        let entry = entry(id)
        let own = (group: getegid(), groups: supplementary())
        let group = entry?.group ?? group
        var groups = [group]
        let hasGroups =
            if let entry { initgroups(entry.name, group) == 0 } else { setgroups(1, &groups) == 0 }
        // For root they set the real, the effective and the saved one.
        if hasGroups, setgid(group) == 0, setuid(id) == 0 { return true }
        // Some containers leave root without these rights.
        _ = setgid(own.group)
        if hasGroups { _ = setgroups(own.groups.count, own.groups) }
        return false
    }

    private static func supplementary() -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(Int(max(0, count))))
    }
}

/// Whose cache a process of root uses.
package struct CacheOwner: Sendable, Equatable {
    package let id: uid_t
    package let group: gid_t

    package var name: String { Account.name(id) }

    /// Returns the owner of a cache if this process runs as root and that is another account: what root makes
    /// there, a service of that account couldn't use. Blocks.
    ///
    /// - Parameter root: the cache directory, which counts as that of root if it is missing.
    package static func besidesRoot(of root: String) -> CacheOwner? {
        guard geteuid() == 0 else { return nil }
        // What is in the directory counts more than who was given it: a service of root may have begun.
        for path in ["\(root)/v\(StoreLayout.version)", root] {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            return status.st_uid == 0
                ? nil : CacheOwner(id: status.st_uid, group: status.st_gid)
        }
        return nil
    }

    /// Takes the owner's rights. See ``Account/take(_:group:)``.
    package func takeRights() -> Bool { Account.take(id, group: group) }
}
