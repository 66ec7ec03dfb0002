import CSandbox

/// What this process has in memory, and other processes of its user could read.
package enum OwnMemory {
    /// Closes this process' memory, environment and open files under /proc to other processes, debuggers
    /// among them, unless they are root's. There are no core files of it either.
    package static func hide() { sandbox_hide() }
}
