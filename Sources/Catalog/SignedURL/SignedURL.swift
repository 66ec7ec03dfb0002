package import Fetch
import Hashing

/// Pictures at any URL, identified by the URL itself: `url/image/{base64url}`.
///
/// The server requires a signature (``URLSignature``). The command line does not.
package struct SignedURL: Source {
    package static let name = "url"
    package static let kind = "image"

    /// The hosts that may be used; any public host if none is configured.
    package let imageHosts: [HostPattern]

    package init(hosts: [HostPattern]) {
        imageHosts = hosts.isEmpty ? [HostPattern("*")] : hosts
    }

    package var name: String { Self.name }
    package var title: String { "Signed URLs" }
    package var kinds: [String] { [Self.kind] }
    package var lists: [ListDescription] { [] }
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] { [] }

    /// Returns the item that identifies a URL, which is taken in any form that ``NormalURL`` reads.
    package static func item(of url: String) throws(Failure) -> Item {
        let normal: String
        do throws(NormalURL.Refusal) {
            normal = try NormalURL(url).text
        } catch {
            throw .invalid(reason: "“\(Self.place(of: url))” \(error.phrase).")
        }
        guard normal.utf8.count <= longest else {
            throw .invalid(
                reason: "“\(Self.place(of: url).shortened)” is longer than 8,192 bytes.")
        }
        return Item(source: name, kind: kind, id: Base64URL.encode(Array(normal.utf8)))
    }

    /// Bytes of the longest URL, in its normal form.
    static let longest = 8_192

    package func item(kind: String, id: String) throws(Failure) -> Item {
        guard kind == Self.kind else {
            throw .notFound(
                reason: "Signed URLs have no kind “\(kind.shortened)”; they have “\(Self.kind)”.")
        }
        guard let url = Self.url(ofID: id) else {
            throw .invalid(reason: "The URL is not encoded as base64url without padding.")
        }
        return try Self.item(of: url)
    }

    package func query(
        list: String, parameters: [String: String]
    ) throws(Failure) -> ListQuery {
        throw .notFound(reason: "Signed URLs have no lists.")
    }

    package func details(
        of item: Item, api: any APIReading
    ) async throws(Failure) -> ItemDetails {
        try details(of: item)
    }

    /// The chain follows from the name, so that keeping it gains nothing.
    package func freeDetails(of item: Item) -> ItemDetails? {
        do throws(Failure) {
            return try details(of: item)
        } catch {
            return nil
        }
    }

    private func details(of item: Item) throws(Failure) -> ItemDetails {
        let item = try self.item(kind: item.kind, id: item.id)
        let url = Self.url(ofID: item.id) ?? ""
        return ItemDetails(
            entry: CatalogEntry(item: item, title: Self.shown(url)),
            chain: [.candidate(Candidate(url: url, label: "given", rank: 0))])
    }

    package func page(
        _ query: ListQuery, api: any APIReading
    ) async throws(Failure) -> CatalogPage? {
        nil
    }

    /// Returns the URL of an item of this source for the person who gave it: on one line, without query
    /// and user-info; nil for items of other sources.
    package static func place(of item: Item) -> String? { url(of: item).map { place(of: $0) } }

    /// Returns a URL on one line, without query and user-info, at most 200 characters long.
    package static func place(of url: String) -> String {
        String(
            shown(url).unicodeScalars.prefix(200).map {
                $0.properties.generalCategory == .control ? "?" : Character($0)
            })
    }

    /// Returns the URL without query and user-info, which may hold secrets.
    private static func shown(_ url: String) -> String {
        let bare = url.prefix { $0 != "?" }
        guard let scheme = bare.firstRange(of: "://"),
            // Names of files have it, too: cover@2x.jpg.
            let at = bare[scheme.upperBound...].prefix(while: { $0 != "/" }).lastIndex(of: "@")
        else { return String(bare) }
        return String(bare[..<scheme.upperBound] + bare[bare.index(after: at)...])
    }
}
