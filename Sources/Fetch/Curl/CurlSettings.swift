import CCurl

/// The options that every transfer of a fetcher shares.
final class CurlSettings {
    let configuration: FetchConfiguration
    let connectTo: StringList?
    let usesProxy: Bool

    init(_ configuration: FetchConfiguration) throws(FetchError) {
        self.configuration = configuration
        usesProxy = configuration.proxy != nil
        guard !configuration.connectTo.isEmpty else {
            connectTo = nil
            return
        }
        guard let list = StringList(configuration.connectTo) else {
            throw .configuration(reason: "no memory for the connect-to list")
        }
        connectTo = list
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, so that nothing ends early.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds) * 1_000
            + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
