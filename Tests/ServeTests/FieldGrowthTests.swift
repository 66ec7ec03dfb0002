import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import TestSupport
import Testing

@testable import Serve

/// Fields of requests that are made to hurt.
@Suite(.timeLimit(.minutes(1))) struct FieldGrowthTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Repeated up to the size.
        var part: String
        var read: @Sendable (String) -> Void

        init(_ field: String, _ part: String, _ read: @escaping @Sendable (String) -> Void) {
            testDescription = "\(field): \(part)…"
            self.part = part
            self.read = read
        }
    }

    private static func accept(_ part: String) -> Case {
        Case("Accept", part) { field in
            let negotiation = Negotiation(accept: field)
            _ = (negotiation.format, negotiation.prefersAVIF, negotiation.acceptsImages)
        }
    }

    private static func range(_ part: String) -> Case {
        Case("Range", part) { _ = ByteRanges("bytes=" + $0, length: 1_000_000) }
    }

    private static func entityTag(_ part: String) -> Case {
        Case("If-None-Match", part) { field in
            _ = ConditionalRequest([.ifNoneMatch: field])
                .isNotModified(entityTag: "\"a\"", lastModified: nil)
        }
    }

    /// A field as a connection reads it, in a head of HTTP/1.
    private static func head(_ name: String, _ part: String) -> Case {
        Case("\(name) in a head", part) { field in
            let head = Array("GET / HTTP/1.1\r\nHost: a\r\n\(name): \(field)\r\n\r\n".utf8)
            _ = head.withUnsafeBytes { RequestScan($0) }
            _ = RequestHead(head).field("cookie")
        }
    }

    private static let cases: [Case] = [
        accept("image/webp;q=0.5,"), accept(";"), accept(","), accept(" "), accept("*/*,"),
        accept("image/webp;a=b;"), range("0-9,"), range("0-"), range("-"), range("9"),
        range(" "), range(","), entityTag("\"x\","), entityTag("W/"), entityTag(" "),
        entityTag(","), entityTag("\"x"), head("Cookie", "a=b; "), head("Cookie", ";"),
        head("Cookie", "a=b\r\nCookie: "), head("Range", "bytes=0-1,"),
        Case("Accept-Encoding", "br;q=0.5,") { _ = ContentCoding(accepting: $0) },
        Case("Accept-Encoding", ";q=") { _ = ContentCoding(accepting: $0) },
        Case("If-Modified-Since", "Sun, 06 Nov ") { _ = HTTPDate.parse($0) },
        Case("Host", "a.") { _ = TrustedHosts(host: "a", names: []).allows(authority: $0) },
        Case("Origin", "a://") {
            _ = TrustedHosts(host: "a", names: []).allows(origin: $0, authority: "a")
        },
    ]

    @Test(arguments: cases)
    func `sixteen times the field takes sixteen times as long, and not its square`(one: Case) {
        let growth = excessiveGrowth(from: 8_000) { size in
            String(repeating: one.part, count: size / one.part.utf8.count)
        } _: {
            one.read($0)
        }
        #expect(growth == nil)
    }
}
