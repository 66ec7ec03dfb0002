import Testing

@testable import Traces

@Suite(.timeLimit(.minutes(1))) struct SamplerTests {
    private func trace(_ low: UInt64) -> TraceContext.TraceID { .init(high: 7, low: low) }

    private func client(sampled: Bool) -> TraceContext {
        TraceContext(trace: trace(1), span: 2, isSampled: sampled, state: "")
    }

    @Test(arguments: [
        (0.0, UInt64.min, false), (0.0, .max, false), (1.0, .min, true), (1.0, .max, true),
        (0.5, 0x7fff_ffff_ffff_ffff, true), (0.5, 0x8000_0000_0000_0000, false),
        (0.25, 0x3fff_ffff_ffff_0000, true), (0.25, 0x4000_0000_0000_0000, false),
    ])
    func `a share takes traces with low ids, as every other service does`(
        share: Double, low: UInt64, isTaken: Bool
    ) {
        let sampler = Sampler(share: share, followsParent: false)
        #expect(sampler.samples(trace(low), parent: nil) == isTaken)
        // The client's decision doesn't count.
        #expect(sampler.samples(trace(low), parent: client(sampled: !isTaken)) == isTaken)
    }

    @Test(arguments: [(0.0, true), (1.0, false), (0.5, true), (0.5, false)])
    func `the client's decision counts before the share`(share: Double, isSampled: Bool) {
        let sampler = Sampler(share: share, followsParent: true)
        for low in [UInt64.min, .max] {
            let client = client(sampled: isSampled)
            #expect(sampler.samples(trace(low), parent: client) == isSampled)
        }
        #expect(sampler.samples(trace(0), parent: nil) == (share > 0))
    }
}
