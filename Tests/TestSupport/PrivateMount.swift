/// Mounts that only one program of a test sees, and that go with it.
package enum PrivateMount {
    /// Words before a command, which is run once the script has mounted something. The script has the
    /// directory as `$0`.
    package static func wrapper(_ script: String, at directory: String) -> [String] {
        ["/usr/bin/unshare", "-rm", "sh", "-c", script + " && exec \"$@\"", directory]
    }

    /// Does so with a small tmpfs.
    package static func smallDisk(at directory: String, megabytes: Int = 2) -> [String] {
        wrapper("mount -t tmpfs -o size=\(megabytes)m tmpfs \"$0\"", at: directory)
    }

    /// Whether this machine allows them.
    package static func isAllowed() async throws -> Bool {
        let directory = try TemporaryDirectory()
        let command = smallDisk(at: directory.path) + ["true"]
        do {
            let program = try ChildProgram(command[0], Array(command.dropFirst()))
            return await program.status() == 0
        } catch {
            return false
        }
    }
}
