/// The body of a request.
package enum RequestBody: Sendable {
    case whole([UInt8])
    case tooLong
    /// The body is incomplete or its framing is broken.
    case broken
}
