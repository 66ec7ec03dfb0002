import Catalog
import FoundationEssentials
import HTTPTypes
import Hashing
import Imaging
import JSON
import Store

/// The gallery page: one document, whose own script is the only one that may run.
struct Gallery: Sendable {
    let document: PreparedDocument

    /// - Parameters:
    ///   - sources: those with a tab get a section.
    ///   - levels: from which the page chooses, smallest first.
    ///   - withoutOriginals: names of sources whose originals its visitors don't get.
    init(
        _ sources: [any Source] = [], _ levels: [Level] = [], withoutOriginals: [String] = []
    ) {
        let style = Self.bare(PackageResources.page_css)
        let script = Self.bare(Array(Self.scripts.joined(separator: [0x0A])))
        let given: JSON = [
            "sources": .list(Self.sections(sources)),
            // As `picture.js` has them.
            "levels": .list(levels.map { ["name": .text($0.name)] + .size($0.width, $0.height) }),
            // Sources whose terms forbid to crop their pictures.
            "uncropped": JSON(sources.filter { !$0.mayCrop }.map(\.name)),
            // Sources whose originals are not offered.
            "withoutOriginals": JSON(withoutOriginals),
        ]
        let body = PageTemplate(PackageResources.page_html)
            .filled(["style": style, "given": Self.literal(given), "script": script])
        let fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            // The page may change with the next version. Until then revalidation costs a 304.
            .cacheControl: "no-cache",
            .contentSecurityPolicy: Self.policy(style: style, script: script),
            .crossOriginOpenerPolicy: "same-origin",
        ]
        document = PreparedDocument(body, fields, .thorough, isPage: true)
    }

    /// Returns JSON for a script element, in which "</script>" would end it.
    private static func literal(_ value: JSON) -> [UInt8] {
        value.sortedBytes.flatMap { $0 == UInt8(ascii: "<") ? Array("\\u003c".utf8) : [$0] }
    }

    /// The scripts, each after those it depends on.
    private static let scripts = [
        PackageResources.strings_js, PackageResources.sections_js, PackageResources.view_js,
        PackageResources.elements_js, PackageResources.icons_js, PackageResources.service_js,
        PackageResources.thumbhash_js, PackageResources.picture_js, PackageResources.layout_js,
        PackageResources.feed_js, PackageResources.tile_js, PackageResources.grid_js,
        PackageResources.gridkeys_js, PackageResources.zoom_js, PackageResources.movement_js,
        PackageResources.pan_js, PackageResources.deepzoom_js, PackageResources.stage_js,
        PackageResources.levels_js,
        PackageResources.trace_js, PackageResources.facts_js, PackageResources.keysheet_js,
        PackageResources.detail_js, PackageResources.order_js, PackageResources.hold_js,
        PackageResources.places_js,
        PackageResources.filters_js, PackageResources.strip_js, PackageResources.status_js,
        PackageResources.history_js, PackageResources.ending_js, PackageResources.bar_js,
        PackageResources.main_js,
    ]

    /// Returns a script or style without indentation, and without comments that have lines of their
    /// own: a fourth of what is sent.
    private static func bare(_ source: [UInt8]) -> [UInt8] {
        var isComment = false
        var kept: [UInt8] = []
        for line in String(decoding: source, as: UTF8.self).split(separator: "\n") {
            let text = line.drop { $0 == " " }
            if isComment {
                isComment = !text.hasSuffix("*/")
                continue
            }
            // Code may follow a comment in its line.
            if text.hasPrefix("/*"), text.hasSuffix("*/") || !text.contains("*/") {
                isComment = !text.hasSuffix("*/")
                continue
            }
            if text.isEmpty || text.hasPrefix("// ") { continue }
            kept += Array(text.utf8) + [0x0A]
        }
        return kept
    }

    /// Returns a policy that allows this service's pictures and JSON, this style and this script
    /// only.
    private static func policy(style: [UInt8], script: [UInt8]) -> String {
        func hash(_ bytes: [UInt8]) -> String {
            "'sha256-\(Digest(of: bytes).base64)'"
        }
        return [
            "default-src 'none'", "script-src \(hash(script))", "style-src \(hash(style))",
            "img-src 'self' data:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }
}

/// Sections as `sections.js` has them: the tabs of sources.
extension Gallery {
    /// Returns the sections of the sources that have a tab, in the order of the page: the operator's
    /// own first. Beside them, catalogs that lack credentials have no section.
    private static func sections(_ sources: [any Source]) -> [JSON] {
        var tabs = sources.compactMap { source in source.tab.map { (source, $0) } }
        if tabs.contains(where: { $1.subject == nil }) {
            tabs.removeAll { $1.subject != nil && $0.missing != nil }
        }
        let subjects = [nil] + SourceTab.Subject.allCases.map(Optional.some)
        return subjects.flatMap { subject in
            tabs.filter { $1.subject == subject }.map(section)
        }
    }

    private static func section(_ source: any Source, _ tab: SourceTab) -> JSON {
        var section: JSON = [
            "id": .text(tab.subject?.rawValue ?? "source-\(source.name)"),
            // A key of the page's sentences, or a name.
            "name": .text(tab.subject?.rawValue ?? source.title),
            // The catalog, as it calls itself.
            "title": .text(source.title),
            "source": .text(source.name),
            "shape": JSON(Double(tab.shape.width) / Double(tab.shape.height)),
            "suggestions": JSON(tab.suggestions),
            "credit": .list(tab.credit.map(credit)),
        ]
        section.add("layout", tab.isInRows ? "rows" : nil)
        // Each a list and its name for people.
        let browsed = source.browsedLists.map { list in
            JSON(["\(source.name)/\(list.name)", list.tabTitle ?? list.name])
        }
        section.add("browse", browsed.isEmpty ? nil : .list(browsed))
        // A list and the parameter that takes search words.
        section.add(
            "search",
            source.searchList.map { JSON(["\(source.name)/\($0.name)", $0.term ?? ""]) })
        let missing = CatalogFilter.parameterNames.filter { !source.filters.contains($0) }
        section.add("withoutFilters", missing.isEmpty ? nil : JSON(missing))
        section.add("languages", tab.hasLanguages ? true : nil)
        return section
    }

    /// Returns a text, or a link as its text and its URL.
    private static func credit(_ credit: SourceTab.Credit) -> JSON {
        switch credit {
        case .text(let text): .text(text)
        case .link(let text, let url): JSON([text, url])
        }
    }
}

extension HTTPField.Name {
    fileprivate static let crossOriginOpenerPolicy = constant("Cross-Origin-Opener-Policy")
}
