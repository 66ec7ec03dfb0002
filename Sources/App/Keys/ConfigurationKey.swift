import Catalog

/// One setting: its name, form, purpose and place in ``Settings``.
///
/// ``all`` is the only list of settings. The file's checks, the names of environment variables,
/// `vitrine config` and `config/vitrine.yaml` all come from it.
package struct ConfigurationKey: Sendable {
    package enum Shape: Sendable, Equatable {
        /// One value.
        case single
        /// A YAML sequence; in the environment, separated by commas.
        case list
        /// A YAML mapping; in the environment `name=value`, separated by commas.
        case map
        /// A YAML mapping of mappings with a reader of its own; only in the file.
        case tree
        /// Never in the file, never printed.
        case secret
    }

    /// `fetch.totalTimeout`.
    package let path: String
    package let shape: Shape
    /// Completes "expected …".
    let expected: String
    /// Sentences for `config/vitrine.yaml`.
    let summary: String
    /// Returns the elements as canonical texts; one if the shape is `single`.
    package let print: @Sendable (Settings) -> [String]
    /// Puts the texts into the settings. Returns the first invalid one.
    let apply: @Sendable ([String], inout Settings) -> Rejection?
    /// Removes secrets from a text that is shown.
    var redact: @Sendable (String) -> String = { $0 }
    /// Returns the value that the program chose for `auto`; nil if the key has no `auto`.
    var resolved: (@Sendable (Settings) -> String)?
    /// The place of a secret and of the file that may hold it; nil for other keys.
    var credential: Place<Credentials.Entry>?
    /// An environment variable that others use for the same, such as `AWS_ACCESS_KEY_ID`. The key's
    /// own variable takes precedence.
    var commonVariable: String?
    /// Earlier names of the key. They are accepted until the next major version, with a warning.
    package var formerPaths: [String] = []
    /// Whether a reload of the settings applies a change; otherwise it needs a restart.
    package var isReloaded = false

    struct Rejection: Sendable, Equatable {
        var text: String
        var expected: String
    }

    /// Completes "expected …" for the file, where a mapping has a colon in place of `=`.
    func asInFile(_ expected: String) -> String {
        shape == .map ? expected.replacing("=", with: ": ") : expected
    }

    var section: Substring { path.prefix { $0 != "." } }

    /// Returns whether the key stands under that section, now or by a former name.
    func isInside(section: String) -> Bool {
        ([path] + formerPaths).contains { $0.hasPrefix("\(section).") }
    }

    /// `fetch.totalTimeout` → `VITRINE_FETCH_TOTAL_TIMEOUT`.
    package var environmentName: String { Self.environmentName(of: path) }

    package static func environmentName(of path: String) -> String {
        var name = "VITRINE_"
        let characters = Array(path)
        for (index, character) in characters.enumerated() {
            if character == "." {
                name.append("_")
                continue
            }
            if character.isUppercase, index > 0, characters[index - 1] != "." {
                let next = index + 1 < characters.count ? characters[index + 1] : "."
                // `clientIDFile` is three words: a word begins at a capital after a small letter,
                // and at the last capital of several.
                if characters[index - 1].isLowercase || next.isLowercase { name.append("_") }
            }
            name.append(contentsOf: character.uppercased())
        }
        return name
    }
}

extension ConfigurationKey {
    /// The place of a value in the settings.
    typealias Place<Value> = any WritableKeyPath<Settings, Value> & Sendable

    /// Returns the key of a single value.
    static func single<Value>(
        _ path: String, _ place: Place<Value>,
        _ syntax: ValueSyntax<Value>, _ summary: String
    ) -> Self {
        Self(
            path: path, shape: .single, expected: syntax.expected, summary: summary,
            print: { [syntax.print($0[keyPath: place])] },
            apply: { texts, settings in
                let text = texts.first ?? ""
                guard let value = syntax.parse(text) else {
                    return Rejection(text: text, expected: syntax.expected)
                }
                settings[keyPath: place] = value
                return nil
            })
    }

    /// Returns the key of a size in bytes that is a share of memory by default. `place` has the set
    /// value, `resolved` the one in force.
    static func share(
        _ path: String, _ place: Place<Int?>, resolved: Place<Int>, _ range: ClosedRange<Int>,
        _ summary: String
    ) -> Self {
        var key = single(path, place, .automatic(.size(range)), summary)
        key.resolved = { SizeText.print($0[keyPath: resolved]) }
        return key
    }

    static func list<Element>(
        _ path: String, _ place: Place<[Element]>,
        of syntax: ValueSyntax<Element>, _ summary: String
    ) -> Self {
        Self(
            path: path, shape: .list, expected: "a list, each of it \(syntax.expected)",
            summary: summary,
            print: { $0[keyPath: place].map(syntax.print) },
            apply: { texts, settings in
                var values: [Element] = []
                for text in texts {
                    guard let value = syntax.parse(text) else {
                        return Rejection(text: text, expected: syntax.expected)
                    }
                    values.append(value)
                }
                settings[keyPath: place] = values
                return nil
            })
    }

    /// Returns the keys of a credential and of the file that may hold it.
    ///
    /// - Parameters:
    ///   - variable: an environment variable that others use for it.
    ///   - isReloaded: whether a reload of the settings applies a change.
    static func secret(
        _ path: String, _ place: Place<Credentials.Entry>, variable: String? = nil,
        isReloaded: Bool = false, _ summary: String
    ) -> [Self] {
        var value = Self(
            path: path, shape: .secret, expected: "a secret", summary: summary,
            print: { [$0[keyPath: place].value.map(\.description) ?? "(not set)"] },
            apply: { texts, settings in
                settings[keyPath: place].value = texts.first.map(Secret.init)
                return nil
            },
            redact: { _ in "(hidden)" })
        value.credential = place
        value.commonVariable = variable
        let names = [value.environmentName, variable].compactMap(\.self)
        let syntax = ValueSyntax<String?>.optional(.text("the path of a file"))
        let file = Self(
            path: path + "File", shape: .single, expected: syntax.expected,
            summary: "File that holds \(summary) \(names.listed(by: "or")) "
                + "\(names.count == 1 ? "takes" : "take") precedence.",
            print: { [syntax.print($0[keyPath: place].file)] },
            apply: { texts, settings in
                settings[keyPath: place].file = syntax.parse(texts.first ?? "") ?? nil
                return nil
            })
        return isReloaded ? [value.reloaded(), file.reloaded()] : [value, file]
    }

    /// Returns the same key with what `auto` comes to.
    func resolved(_ value: @escaping @Sendable (Settings) -> String) -> Self {
        var key = self
        key.resolved = value
        return key
    }

    /// Returns the same key, of which a reload of the settings applies a change.
    func reloaded() -> Self {
        var key = self
        key.isReloaded = true
        return key
    }

    /// Returns the same key, accepted under earlier names too.
    func formerly(_ paths: String...) -> Self {
        var key = self
        key.formerPaths = paths
        return key
    }

    /// Returns the same key with user names and passwords of URLs hidden in all output.
    func hidingUserInfo() -> Self {
        var key = self
        key.redact = { text in
            guard let at = text.lastIndex(of: "@") else { return text }
            let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
            return "\(scheme)***\(text[at...])"
        }
        return key
    }
}
