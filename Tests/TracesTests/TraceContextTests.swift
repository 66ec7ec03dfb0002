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
