import Fetch

/// The museum's hosts and their load limits.
enum MuseumHosts {
    static let search = HostPattern("data.rijksmuseum.nl")
    static let record = HostPattern("id.rijksmuseum.nl")
    static let images = HostPattern("iiif.micr.io")
    /// The id host may redirect (303) to the search host.
    static let records = [record, search]
    static let rights = [
        HostPattern("creativecommons.org"), HostPattern("rightsstatements.org"),
    ]

    /// The museum publishes no limits and asks clients to be polite. A page of twenty objects
    /// needs a call for each, and their pictures need three more.
    static var policies: [(pattern: HostPattern, policy: HostPolicy)] {
        let records = HostPolicy(maxConcurrent: 4, rate: .init(count: 10, per: .seconds(1)))
        return [
            (search, records), (record, records),
            (images, HostPolicy(maxConcurrent: 4)),
        ]
    }
}
