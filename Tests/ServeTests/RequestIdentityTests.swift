import HTTPTypes
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct RequestIdentityTests {
    @Test(arguments: ["a-1_B.2:c=/+", "a;b\"{~", String(repeating: "a", count: 64)])
    func `a valid request id of the client is kept`(id: String) {
        #expect(RequestIdentity([.xRequestID: id]).id == id)
    }

    @Test(arguments: ["", "with space", "ü", String(repeating: "a", count: 65)])
    func `an invalid request id is replaced`(id: String) {
        let made = RequestIdentity([.xRequestID: id]).id
        #expect(made.count == 16 && made.allSatisfy(\.isHexDigit))
    }

    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later", true),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false), ("nonsense", false),
    ])
    func `a trace id is taken from a valid traceparent only`(field: String, isTrace: Bool) {
        let trace = RequestIdentity([.traceParent: field]).trace
        #expect(trace == (isTrace ? "4bf92f3577b34da6a3ce929d0e0e4736" : nil))
    }
}
