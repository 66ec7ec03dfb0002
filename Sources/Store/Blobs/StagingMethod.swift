/// How a blob stays invisible until it is complete.
package enum StagingMethod: Sendable {
    /// `O_TMPFILE`, then `linkat`. A crash leaves nothing behind.
    case anonymous
    /// A locked file in `staging`, then `rename`, for filesystems without `O_TMPFILE`.
    case named
}
