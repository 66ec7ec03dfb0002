import Catalog
import Hashing
import Pipeline
import Yams

/// The file that the setting `blocked` names: a list of what is never shown.
enum BlockedFile {
    private static let maxBytes = 16 << 20
    /// What an entry can name.
    private static let forms = ["item", "url", "prefix", "digest"]

    /// Returns the entries of a file.
    ///
    /// - Parameters:
    ///   - path: nil for no file.
    ///   - problems: gets a file that can't be read, and each mistake in it.
    static func entries(
        _ path: String?, _ problems: inout [ConfigurationError]
    ) -> [BlockEntry] {
        guard let path else { return [] }
        let text: String
        do throws(LocalFileError) {
            let bytes = try LocalFile.readRegular(path, limit: maxBytes)
            guard let valid = String(validating: bytes, as: UTF8.self) else {
                problems.append(ConfigurationError("blocked: \(path) is not UTF-8 text."))
                return []
            }
            text = valid
        } catch {
            problems.append(ConfigurationError("blocked: \(error)"))
            return []
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            problems.append(ConfigurationError("\(path): this is not YAML: \(error)."))
            return []
        }
        guard let root, !root.isEmpty else { return [] }
        var entries: [BlockEntry] = []
        do throws(ConfigurationError) {
            for node in try SourceNode(root, path: "blocked", file: path).elements() {
                do throws(ConfigurationError) {
                    entries.append(try entry(node))
                } catch {
                    problems.append(error)
                }
            }
        } catch {
            problems.append(error)
        }
        return entries
    }

    private static func entry(_ node: SourceNode) throws(ConfigurationError) -> BlockEntry {
        let members = try node.members(forms + ["reason"])
        let named = forms.compactMap { form in members[form].map { (form, $0) } }
        guard named.count == 1, let (form, value) = named.first else {
            throw node.error(
                "names \(named.isEmpty ? "nothing" : "several things"); expected one of "
                    + "\(forms.listed(by: "and")).")
        }
        let text: String
        switch form {
        case "item":
            text = try value.parsed("an item such as tvmaze/show/1") { Item($0)?.description }
        case "url":
            text = try value.parsed("an http or https URL") { (try? NormalURL($0))?.text }
        case "prefix":
            text = try value.parsed("the beginning of items, such as tvmaze/show/1*") { text in
                let parts = text.split(
                    separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
                guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
                return text.hasSuffix("*") ? text : text + "*"
            }
        default:
            text = try value.parsed("sha256- and 64 hexadecimal digits") { text in
                let hex = text.hasPrefix("sha256-") ? String(text.dropFirst(7)) : text
                return Digest(hex: hex.lowercased()).map { "sha256-\($0.hex)" }
            }
        }
        return BlockEntry(text: text, reason: try members["reason"]?.text())
    }
}
