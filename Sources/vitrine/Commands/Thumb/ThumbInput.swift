/// One input picture, and the prefix of its thumbnails' names.
struct ThumbInput: Sendable, Equatable {
    enum Place: Sendable, Equatable, CustomStringConvertible {
        case file(String)
        case url(String)

        /// Treats any argument with a scheme as a URL. The fetcher validates it.
        init(_ argument: String) {
            self = argument.firstRange(of: "://") == nil ? .file(argument) : .url(argument)
        }

        /// The path, or the URL without its query, which may hold a secret.
        var description: String {
            switch self {
            case .file(let path): path
            case .url(let url): String(url.prefix { $0 != "?" && $0 != "#" })
            }
        }

        /// The last part of the path, without its extension and unsafe characters.
        fileprivate var baseName: String {
            let parts = description.split(separator: "/")
            var name = parts.last.map(String.init) ?? ""
            if let dot = name.lastIndex(of: "."), dot != name.startIndex {
                name = String(name[..<dot])
            }
            let isSafe: (Character) -> Bool = { character in
                character != "\\" && character != ":"
                    && !character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }
            }
            name = String(name.map { isSafe($0) ? $0 : "_" })
            return name.allSatisfy { $0 == "." } ? "picture" : name
        }
    }

    var place: Place
    var name: String

    /// Names the places in order. If several have the same name, all but the first get `-2`, `-3`,
    /// …
    ///
    /// No generated name equals a `reserved` one or another place's own name.
    static func named(_ places: [Place], reserved: Set<String> = []) -> [ThumbInput] {
        let natural = Set(places.map(\.baseName))
        var taken = reserved
        var next: [String: Int] = [:]
        return places.map { place in
            let base = place.baseName
            var name = base
            while taken.contains(name) || (name != base && natural.contains(name)) {
                next[base, default: 1] += 1
                name = "\(base)-\(next[base, default: 1])"
            }
            taken.insert(name)
            return ThumbInput(place: place, name: name)
        }
    }
}
