import Foundation
import FoundationXML

/// An element of a template as it is written, with attributes by their whole names.
struct TemplateTag {
    var name: String
    var attributes: [String: String]
    var children: [Child] = []

    enum Child {
        case tag(TemplateTag)
        case text(String)
    }

    /// The document's element.
    ///
    /// - Throws: ``TemplateError`` where the document isn't well-formed.
    static func read(_ bytes: [UInt8]) throws(TemplateError) -> TemplateTag {
        let reader = TemplateReader()
        let parser = XMLParser(data: Data(bytes))
        parser.delegate = reader
        guard parser.parse(), let root = reader.root else {
            throw TemplateError(
                "line \(parser.lineNumber)", "\(parser.parserError.map { "\($0)" } ?? "is empty")")
        }
        return root
    }
}

private final class TemplateReader: NSObject, XMLParserDelegate {
    private(set) var root: TemplateTag?
    private var open: [TemplateTag] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String] = [:]
    ) {
        open.append(TemplateTag(name: name, attributes: attributes))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        guard !open.isEmpty, !text.allSatisfy(\.isWhitespace) else { return }
        open[open.count - 1].children.append(.text(text))
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard let tag = open.popLast() else { return }
        if open.isEmpty { root = tag } else { open[open.count - 1].children.append(.tag(tag)) }
    }
}
