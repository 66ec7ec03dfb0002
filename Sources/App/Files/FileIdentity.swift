/// Identifies a file or directory on this machine while it exists.
package struct FileIdentity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
}
