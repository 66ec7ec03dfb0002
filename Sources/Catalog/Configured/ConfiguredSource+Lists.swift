import Fetch
import JSON
import Memory

extension ConfiguredSource {
    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        let query = try self.query(list: query.list, parameters: query.parameters)
        let list = try definition(ofList: query.list)
        let kind = try kind(list.kind)
        let first = try firstURL(list, query)
        var url = first
        if case .link? = list.paging?.form, let cursor = query.parameters["cursor"] {
            url = try Self.url(first, query: cursor)
        }
        var hold: ByteBudget.Hold?
        defer { withExtendedLifetime(hold) {} }
        guard let document = try await document(url, list.end, api, &hold) else {
            recorder?.add(.note("The list ends here."))
            return nil
        }
        let elements = list.items.values(in: document)
        if elements.isEmpty, let miss = list.items.miss(in: document),
            !list.items.leadsToEmptyList(in: document)
        {
            missed("items", list.items.text, miss)
            throw .unavailable(reason: "\(title) answered without a list: \(miss)")
        }
        recorder?.add(
            .found(
                name: "items", place: list.items.text,
                value: elements.count == 1 ? "1 item" : "\(elements.count) items"))
        // What the first one shows, the others repeat.
        var quiet = self
        quiet.recorder = nil
        let items = elements.enumerated().compactMap { offset, element in
            (offset == 0 ? self : quiet).details(element, list, kind)
        }
        var page = CatalogPage(items: items.withoutRepeats, next: nil)
        page.total = list.paging?.total?.first(in: document)?.whole(in: Bounds.count)
        page.firstIndex = firstIndex(list, query)
        page.next = try next(list, query, first, document, elements.count, page.total)
        if let size = page.total { recorder?.add(.note("The list has \(size) items.")) }
        return page
    }

    private func details(
        _ element: JSON, _ list: SourceDefinition.List, _ kind: SourceDefinition.Kind
    ) -> ItemDetails? {
        // An element whose id no item can have is left out.
        guard let id = id(element, list),
            let item = try? self.item(kind: kind.name, id: id)
        else { return nil }
        let values = SourceTemplate.Values(element, ["id": item.id])
        let fields = list.isComplete ? list.fields.orElse(kind.fields) : list.fields
        let entry = entry(item, fields, values)
        var details = ItemDetails(
            entry: entry, chain: [], isResolved: false,
            isComplete: list.isComplete || kind.request == nil)
        let isKnown = list.isComplete || kind.chain.allSatisfy(\.isFixed)
        guard let steps = list.chain ?? (isKnown ? kind.chain : nil),
            !steps.contains(where: { $0.request != nil })
        else { return details }
        details.chain = chain(steps, item, values)
        // A list may omit pictures that the item's own document has.
        details.isResolved =
            !details.chain.isEmpty || list.chain == nil || kind.request == nil
        return details
    }

    private func id(
        _ element: JSON, _ list: SourceDefinition.List
    ) -> String? {
        let values = SourceTemplate.Values(element)
        guard let text = list.id.texts(values).first else {
            missed("id", list.id.text, list.id.miss(values))
            return nil
        }
        let (before, after) = (list.idInside.before, list.idInside.after)
        guard text.hasPrefix(before), text.hasSuffix(after),
            text.count > before.count + after.count
        else {
            missed("id", list.id.text, "“\(text)” is not of the form \(before){id}\(after).")
            return nil
        }
        let id = String(text.dropFirst(before.count).dropLast(after.count))
        recorder?.add(.found(name: "id", place: list.id.text, value: id))
        return id
    }

    // MARK: - Pages

    private func firstURL(
        _ list: SourceDefinition.List, _ query: ListQuery
    ) throws(Failure) -> String {
        var variables = query.parameters
        if let size = list.paging?.size { variables["limit"] = "\(size)" }
        if case .cursor(_, let first)? = list.paging?.form {
            variables["cursor"] = query.parameters["cursor"] ?? first
        }
        return try Self.url(list.request, .init(.null, variables), of: "\(name)'s list")
    }

    private func firstIndex(_ list: SourceDefinition.List, _ query: ListQuery) -> Int? {
        switch list.paging?.form {
        case .page(let first)?:
            let number = query.number("page") ?? first
            if number == first { return 0 }
            return list.paging?.size.map { (number - first) * $0 }
        case .offset?: return query.number("offset")
        case .cursor?, .link?: return query.parameters["cursor"] == nil ? 0 : nil
        case nil: return 0
        }
    }

    /// Returns the query of the next page; nil at the end of the list.
    private func next(
        _ list: SourceDefinition.List, _ query: ListQuery, _ first: String, _ document: JSON,
        _ count: Int, _ total: Int?
    ) throws(Failure) -> ListQuery? {
        guard let paging = list.paging, count > 0 else { return nil }
        var next = query
        switch paging.form {
        case .page(let start):
            let number = query.number("page") ?? start
            if let pages = paging.pages?.first(in: document)?.whole(in: Bounds.count) {
                if number - start + 1 >= pages { return nil }
            } else if let total, let size = paging.size, (number - start + 1) * size >= total {
                return nil
            }
            if number - start >= Self.pages { return nil }
            next.parameters["page"] = "\(number + 1)"
        case .offset:
            let offset = query.number("offset") ?? 0
            let following = offset + (paging.size ?? count)
            if let total, following >= total { return nil }
            if total == nil, let size = paging.size, count < size { return nil }
            if !Self.offsets.contains(following) { return nil }
            next.parameters["offset"] = "\(following)"
        case .cursor(let path, _):
            guard let cursor = path.first(in: document)?.plainText,
                cursor != query.parameters["cursor"]
            else { return nil }
            next.parameters["cursor"] = cursor
        case .link(let path):
            guard let link = path.first(in: document)?.plainText else { return nil }
            guard let cursor = self.query(ofLink: link, first) else {
                throw .unavailable(
                    reason: """
                        \(title)'s link to the next page, “\(link.shortened)”, leads elsewhere \
                        than the list.
                        """)
            }
            if cursor == query.parameters["cursor"] { return nil }
            next.parameters["cursor"] = cursor
        }
        recorder?.add(.note("The next page: \(next.key)"))
        return next
    }

    /// Returns the query of a link to another page of the same list, without secrets; nil for a
    /// link to another host or path.
    private func query(ofLink link: String, _ first: String) -> String? {
        func checked(_ url: String) -> String? {
            CheckedURL(url, hosts: imageHosts, plain: plainHosts)?.text
        }
        guard let base = checked(String(first.prefix { $0 != "?" })) else { return nil }
        let path = Self.afterScheme(base).drop { $0 != "/" }
        let whole =
            if link.hasPrefix("//") {
                absolute(link)
            } else if link.hasPrefix("/") {
                String(base.dropLast(path.count)) + link
            } else {
                link.hasPrefix("?") ? base + link : link
            }
        guard let text = checked(whole), text.hasPrefix(base + "?") else { return nil }
        let rest = text.dropFirst(base.count + 1).prefix { $0 != "#" }
        let secrets = Set((definition.host(Self.host(of: base))?.query ?? []).map(\.name))
        return rest.split(separator: "&")
            .filter { pair in !secrets.contains(String(pair.prefix { $0 != "=" })) }
            .joined(separator: "&")
    }

    private static func url(_ first: String, query: String) throws(Failure) -> String {
        guard query.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "#") })
        else { throw .invalid(reason: "“cursor” is not a part of a link to another page.") }
        return "\(first.prefix { $0 != "?" })?\(query)"
    }
}

// MARK: - Requests

extension ConfiguredSource {
    static func url(
        _ template: SourceTemplate, _ values: SourceTemplate.Values, of owner: String
    ) throws(Failure) -> String {
        switch template.filled(with: values, isURL: true) {
        case .text(let url): return url
        case .missing(let path):
            throw .unavailable(
                reason: "The URL of \(owner) needs \(path.text): "
                    + path.missedText(in: values.document))
        case .leavesDirectory(let url):
            throw .invalid(reason: "“\(url.shortened)” has a segment “.” or “..”.")
        }
    }

    /// Requests a JSON document; nil for one of the statuses that mean that there is none.
    ///
    /// - Parameter hold: reserves the memory of the caller's documents, which this one joins.
    func document(
        _ url: String, _ absent: Set<Int>, _ api: any APIReading, _ hold: inout ByteBudget.Hold?
    ) async throws(Failure) -> JSON? {
        let answer: APIAnswer
        let host = HostPattern(Self.host(of: url))
        var isRead = false
        do throws(Failure) {
            answer = try await api.read(try call(url))
            isRead = answer.isSuccess && !absent.contains(answer.status)
            if isRead { hold = try await answer.reserve("\(host)", beside: hold) }
        } catch {
            recorder?.add(.failed(url: url, reason: error.reason))
            throw error
        }
        // What is not JSON is an error below, unless the status says that there is nothing.
        let document = isRead ? try? JSON(parsing: answer.body) : answer.shortDocument
        recorder?.add(
            .answered(
                url: url, status: answer.status, bytes: answer.body.count,
                document: document?.summary ?? "not JSON"))
        if absent.contains(answer.status) { return nil }
        if answer.status == 401 {
            throw .unconfigured(
                reason: "\(host) rejected the credentials of \(title) (401); check "
                    + "sources.\(name).hosts.")
        }
        guard answer.isSuccess else { throw answer.refusal(by: host) }
        guard let document else {
            throw .unavailable(reason: "\(host) answered something that is not JSON.")
        }
        return document
    }

    /// Returns what the operator has to set, in a sentence.
    func need(of field: SourceDefinition.Field, _ host: SourceDefinition.Host) -> String {
        """
        \(title) needs “\(field.name)” for \(host.pattern); set \(field.variable ?? "its value").
        """
    }

    private func call(_ url: String) throws(Failure) -> APICall {
        var call = APICall(url: url, allowedHosts: imageHosts)
        call.plainHosts = plainHosts
        guard let host = definition.host(Self.host(of: url)) else { return call }
        for field in host.fields + host.query where field.value == nil {
            throw .unconfigured(reason: need(of: field, host))
        }
        call.headers = host.fields.compactMap { field in
            field.value.map { (name: field.name, value: $0.reveal()) }
        }
        if !host.query.isEmpty {
            call.secretQuery = host.query.compactMap { field in
                field.value.map { "\(field.name.percentEncoded)=\($0.reveal().percentEncoded)" }
            }.joined(separator: "&")
        }
        return call
    }

    private static func host(of url: String) -> String {
        String(afterScheme(url).prefix { !"/?:".contains($0) })
    }

    private static func afterScheme(_ url: String) -> Substring {
        url.schemeMark.map { url[$0.upperBound...] } ?? Substring(url)
    }
}
