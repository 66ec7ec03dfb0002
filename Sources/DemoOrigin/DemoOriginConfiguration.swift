/// What the demo's origin shows, and its bounds.
package struct DemoOriginConfiguration: Sendable {
    /// Everything but the certificate follows from it.
    package var seed: UInt64 = 2_013
    /// A few hundred fill more than one page of the index, which covers 250 ids.
    package var shows = 300
    /// On 127.0.0.1; 0 takes any free one.
    package var port = 0
    /// Bytes of drawn pictures kept in memory; 300 shows take about 60 MB.
    package var pictureBytes = 96 << 20

    package init() {}
}
