import Testing

@testable import Traces

@Suite(.timeLimit(.minutes(1))) struct TraceContextTests {
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test func `traceparent is read and written`() throws {
        let field = "00-\(Self.id)-\(Self.parent)-01"
        let context = try #require(TraceContext(parent: field, state: "a=1,b@c=2"))
        #expect(context.traceID == Self.id)
        #expect(context.spanID == Self.parent)
        #expect(context.isSampled)
        #expect(context.state == "a=1,b@c=2")
        #expect(context.parent == field)
        let child = context.child()
        #expect(child.traceID == Self.id && child.spanID != Self.parent && child.isSampled)
        #expect(child.state == "a=1,b@c=2")
    }

    @Test(arguments: [("01", true), ("00", false), ("03", true), ("02", false)])
    func `the lowest flag says whether the client's trace is kept`(flags: String, isSampled: Bool)
        throws
    {
        let context = try #require(TraceContext(parent: "00-\(Self.id)-\(Self.parent)-\(flags)"))
        #expect(context.isSampled == isSampled)
        #expect(context.parent.hasSuffix(isSampled ? "-01" : "-00"))
    }

    @Test(arguments: [
        "", "00", "00-\(id)-\(parent)", "00-\(id)-\(parent)-01-more", "0-\(id)-\(parent)-01",
        "ff-\(id)-\(parent)-01", "00-\(id)0-\(parent)-01", "00-\(id)-\(parent)0-01",
        "00-\(id)-\(parent)-1", "00-\(id.uppercased())-\(parent)-01",
        "00-\(String(repeating: "0", count: 32))-\(parent)-01",
        "00-\(id)-\(String(repeating: "0", count: 16))-01",
        "00-\(id)-\(parent)-01, 00-\(id)-\(parent)-01",
    ])
    func `a malformed traceparent is none`(field: String) {
        #expect(TraceContext(parent: field) == nil)
    }

    @Test func `a later version of traceparent may have more`() {
        #expect(TraceContext(parent: "cc-\(Self.id)-\(Self.parent)-01-later")?.isSampled == true)
    }

    @Test(arguments: [String(repeating: "a", count: 513), "a=\u{1}", "ü=1"])
    func `a tracestate that is too long or not ASCII is left out`(state: String) throws {
        let field = "00-\(Self.id)-\(Self.parent)-01"
        #expect(try #require(TraceContext(parent: field, state: state)).state.isEmpty)
    }
}

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
