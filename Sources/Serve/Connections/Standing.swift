/// Whether a connection can be closed for others.
enum Standing {
    /// A request is being answered or has just begun to arrive.
    case busy
    /// Between requests, with nothing to send.
    case idle
    /// The rest of a request has been missing for longer than with normal clients.
    case dripping
}
