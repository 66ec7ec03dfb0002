import CSandbox

/// The memory of this process, which other processes of its user could read.
package enum OwnMemory {
    /// Hides this process's memory, environment and open files under /proc from other processes and
    /// debuggers, except those of root. Disables core files.
    package static func hide() { sandbox_hide() }
}
