import Fetch
import JSON
import Memory

extension ConfiguredSource {
    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        let kind = try kind(item.kind)
        var values = SourceTemplate.Values(.null, ["id": item.id])
        var hold: ByteBudget.Hold?
        defer { withExtendedLifetime(hold) {} }
        if let request = kind.request {
            let url = try Self.url(request, values, of: "\(name)/\(item.kind)")
            guard let document = try await document(url, kind.absent, api, &hold) else {
                throw .notFound(reason: "\(title) has no \(kind.name) \(item.id).")
            }
            values.document = document
        }
        let entry = entry(item, kind.fields, values)
        let (documents, unread) = try await documents(kind, values, api, &hold)
        var refusal: String?
        let chain = chain(kind.chain, item, values, documents: documents, &refusal)
        if chain.isEmpty, let unread { throw unread }
        var details = ItemDetails(entry: entry, chain: chain)
        details.unread = unread?.reason
        if chain.isEmpty {
            details.absence =
                refusal ?? "\(title) names no picture of \(kind.name) \(item.id)."
        }
        return details
    }

    /// Requests the documents that only the chain needs. Each URL is requested once.
    private func documents(
        _ kind: SourceDefinition.Kind, _ values: SourceTemplate.Values, _ api: any APIReading,
        _ hold: inout ByteBudget.Hold?
    ) async throws(Failure) -> (documents: [String: JSON], unread: Failure?) {
        var documents: [String: JSON] = [:]
        var asked: Set<String> = []
        var unread: Failure?
        for request in kind.chain.compactMap(\.request) {
            let url: String
            do throws(Failure) {
                url = try Self.url(request, values, of: name)
            } catch {
                recorder?.add(.note(error.reason))
                continue
            }
            guard asked.insert(url).inserted else { continue }
            do throws(Failure) {
                documents[url] = try await document(url, kind.absent, api, &hold)
            } catch {
                guard error.isTransient else { throw error }
                unread = unread ?? error
            }
        }
        return (documents, unread)
    }

    // MARK: - The chain

    /// Returns the steps that the values lead to without an answer of their own, each URL once.
    func chain(
        _ steps: [SourceDefinition.Step], _ item: Item, _ values: SourceTemplate.Values
    ) -> [ChainStep] {
        var refusal: String?
        return chain(steps, item, values, documents: [:], &refusal)
    }

    /// Returns the steps that the values lead to, each URL once.
    ///
    /// - Parameters:
    ///   - documents: the answers to the steps' own requests, by their URLs.
    ///   - refusal: gets a sentence about the first URL that can't be requested.
    func chain(
        _ steps: [SourceDefinition.Step], _ item: Item, _ values: SourceTemplate.Values,
        documents: [String: JSON], _ refusal: inout String?
    ) -> [ChainStep] {
        var chain: [ChainStep] = []
        var seen: Set<String> = []
        for step in steps {
            var values = values
            if let request = step.request {
                guard case .text(let url) = request.filled(with: values, isURL: true),
                    let document = documents[url]
                else { continue }
                values.document = document
            }
            for (offset, element) in elements(of: step, values.document).enumerated() {
                values.document = element
                let label =
                    step.limit > 1 && offset > 0 ? "\(step.label) \(offset + 1)" : step.label
                guard let found = link(step, label, item, values, &refusal),
                    seen.insert(found.key).inserted
                else { continue }
                chain.append(found.step)
            }
        }
        return chain
    }

    private func elements(
        of step: SourceDefinition.Step, _ document: JSON
    ) -> [JSON] {
        guard let each = step.each else { return [document] }
        let elements = Array(each.values(in: document).prefix(step.limit))
        if elements.isEmpty {
            missed(step.label, each.text, each.miss(in: document) ?? "It selects nothing.")
        }
        return elements
    }

    private func link(
        _ step: SourceDefinition.Step, _ label: String, _ item: Item,
        _ values: SourceTemplate.Values, _ refusal: inout String?
    ) -> (step: ChainStep, key: String)? {
        switch step.place {
        case .item(let kind, let id):
            // An id that no item can have leads nowhere, and the next step is tried.
            guard case .text(let id) = id.filled(with: values),
                let linked = try? self.item(kind: kind, id: id), linked != item
            else { return nil }
            recorder?.add(.found(name: label, place: "item", value: "the chain of \(linked)"))
            return (.item(linked), "\(linked)")
        case .template(let template):
            switch template.filled(with: values, isURL: true) {
            case .missing(let path):
                missed(label, template.text, path.missedText(in: values.document))
                return nil
            case .leavesDirectory(let url):
                missed(label, template.text, "\(url) has a segment “.” or “..”.")
                return nil
            case .text(let url):
                let isScalable = template.variables.contains { ["width", "height"].contains($0) }
                return candidate(step, label, template.text, url, isScalable, values, &refusal)
            }
        case .answer(let value):
            guard let url = value.texts(values).first else {
                missed(label, value.text, value.miss(values))
                return nil
            }
            return candidate(
                step, label, value.text, url.hasPrefix("//") ? absolute(url) : url, false, values,
                &refusal)
        }
    }

    /// Returns a URL without a scheme with the one that its host has.
    func absolute(_ url: String) -> String {
        let plain = CheckedURL("http:\(url)", hosts: imageHosts, plain: plainHosts)
        return plain?.text ?? "https:\(url)"
    }

    private func candidate(
        _ step: SourceDefinition.Step, _ label: String, _ place: String, _ url: String,
        _ isScalable: Bool, _ values: SourceTemplate.Values, _ refusal: inout String?
    ) -> (step: ChainStep, key: String)? {
        let checked: CheckedURL
        do throws(CheckedURL.Refusal) {
            checked = try CheckedURL(
                checking: url, hosts: imageHosts, plain: plainHosts, isTemplate: isScalable)
        } catch {
            missed(label, place, "“\(url)” \(error.phrase(imageHosts)).")
            // For clients, without what a query may hold of secrets.
            refusal = refusal ?? "“\(SignedURL.place(of: url))” \(error.phrase(imageHosts))."
            return nil
        }
        func pixels(_ size: SourceDefinition.Size?) -> Int? {
            switch size {
            case .fixed(let pixels)?: pixels
            case .answer(let path)?: path.first(in: values.document)?.whole(in: Bounds.side)
            case nil: nil
            }
        }
        let (width, height) = (pixels(step.width), pixels(step.height))
        let size = width.map { ", \($0)\(height.map { "×\($0)" } ?? "") pixels" } ?? ""
        recorder?.add(.found(name: label, place: place, value: checked.text + size))
        let found: ChainStep =
            isScalable
            ? .scalable(
                ScalableCandidate(
                    template: checked.text, label: label, rank: step.rank, maxWidth: width,
                    maxHeight: height))
            : .candidate(
                Candidate(
                    url: checked.text, label: label, rank: step.rank, width: width,
                    height: height))
        return (found, checked.text)
    }

    // MARK: - The entry

    /// Returns what the fields say about an item.
    func entry(
        _ item: Item, _ fields: SourceDefinition.Fields, _ values: SourceTemplate.Values
    ) -> CatalogEntry {
        var texts: [String: [String]] = [:]
        for (name, place) in SourceDefinition.Fields.all {
            let value = fields[keyPath: place]
            if value.isEmpty { continue }
            let found = value.texts(values)
            // Shops and catalogs keep texts as they show them on their pages. A summary may have tags, too.
            texts[name] =
                ["summary", "link"].contains(name)
                ? found : found.map(HTMLText.decodingEntities)
            recorder?.add(
                found.isEmpty
                    ? .missed(name: name, place: value.text, reason: value.miss(values))
                    : .found(
                        name: name, place: value.text,
                        value: found.prefix(8).joined(separator: ", ")))
        }
        var entry = CatalogEntry(
            item: item,
            title: texts["title"]?.first
                ?? "\(item.kind.prefix(1).uppercased())\(item.kind.dropFirst()) \(item.id)")
        entry.subtitle = texts["subtitle"].map { $0.prefix(8).joined(separator: ", ") }?.nonEmpty
        entry.date = texts["date"]?.first.flatMap(Self.date)
        var seen: Set<String> = []
        entry.genres = (texts["genres"] ?? []).filter { seen.insert($0).inserted }
            .prefix(Self.maxGenres).map(\.self)
        entry.summary = texts["summary"]?.first.flatMap { HTMLText.plain($0).nonEmpty }
        entry.link = texts["link"]?.first.flatMap {
            CheckedURL($0, hosts: [HostPattern("*")], plain: plainHosts)?.text
        }
        entry.rights = texts["rights"]?.first ?? definition.rights
        return entry
    }

    /// Subjects of a book may be thousands.
    private static let maxGenres = 50

    /// Returns the day, month or year that a text begins with, or its only number of four digits.
    static func date(_ text: String) -> String? {
        if let date = String(text.prefix { $0 != "T" && $0 != " " }).partialDate { return date }
        let years = text.split { !($0.isASCII && $0.isNumber) }.filter { $0.count == 4 }
        return years.count == 1 ? String(years[0]).partialDate : nil
    }
}
