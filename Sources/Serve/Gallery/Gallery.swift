import FoundationEssentials
import HTTPTypes
import Store

/// The gallery page: one document, whose own script is the only one that may run.
struct Gallery: Sendable {
    private let document: PreparedDocument

    init() {
        let style = PackageResources.page_css
        let script = Array(Self.scripts.joined(separator: [0x0A]))
        let body = Self.filled(
            PackageResources.page_html, ["{{style}}": style, "{{script}}": script])
        let fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            // The page may change with the next version. Until then revalidation costs a 304.
            .cacheControl: "no-cache",
            .contentSecurityPolicy: Self.policy(style: style, script: script),
            .crossOriginOpenerPolicy: "same-origin",
        ]
        document = PreparedDocument(body, fields, .thorough)
    }

    func answer(_ request: Request) -> Response { document.answer(request) }

    /// The scripts, each after those it depends on.
    private static let scripts = [
        PackageResources.sections_js, PackageResources.view_js, PackageResources.elements_js,
        PackageResources.service_js, PackageResources.thumbhash_js, PackageResources.picture_js,
        PackageResources.grid_js, PackageResources.detail_js, PackageResources.main_js,
    ]

    /// Returns a policy that allows this service's pictures and JSON, this style and this script
    /// only.
    private static func policy(style: [UInt8], script: [UInt8]) -> String {
        func hash(_ bytes: [UInt8]) -> String {
            "'sha256-\(Data(Digest(of: bytes).bytes).base64EncodedString())'"
        }
        return [
            "default-src 'none'", "script-src \(hash(script))", "style-src \(hash(style))",
            "img-src 'self' data:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }

    private static func filled(_ page: [UInt8], _ parts: [String: [UInt8]]) -> [UInt8] {
        parts.reduce(page) { page, part in
            guard let place = page.firstRange(of: Array(part.key.utf8)) else { return page }
            return Array(page[..<place.lowerBound]) + part.value
                + Array(page[place.upperBound...])
        }
    }
}

extension HTTPField.Name {
    fileprivate static let crossOriginOpenerPolicy = constant("Cross-Origin-Opener-Policy")
}
