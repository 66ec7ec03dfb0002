/// What an origin has received so far.
package struct OriginLog: Sendable {
    /// In the order of their arrival.
    package internal(set) var requests: [OriginRequest] = []
    package internal(set) var connections = 0
    package internal(set) var openConnections = 0
    /// Requests without a complete response.
    package internal(set) var underWay = 0
    /// The highest number of simultaneous requests.
    package internal(set) var peak = 0
    /// The same for each host.
    package internal(set) var peaks: [String: Int] = [:]
    /// Host and path of requests that are never answered.
    var silences: Set<[String]> = []
    var underWayAt: [String: Int] = [:]

    /// Returns the number of requests for a path, at any host.
    package func count(_ path: String) -> Int {
        requests.count { $0.path == path }
    }

    /// Returns whether a request for the path got no response.
    package func fellSilent(at path: String, of host: String) -> Bool {
        silences.contains([host, path])
    }

    mutating func begin(_ request: OriginRequest) {
        requests.append(request)
        underWay += 1
        peak = max(peak, underWay)
        let here = underWayAt[request.host, default: 0] + 1
        underWayAt[request.host] = here
        peaks[request.host] = max(peaks[request.host, default: 0], here)
    }

    mutating func end(_ request: OriginRequest) {
        underWay -= 1
        underWayAt[request.host, default: 1] -= 1
    }
}
