import App
import Catalog

/// One input picture, and the path of its thumbnails.
struct ThumbInput: Sendable, Equatable {
    enum Place: Sendable, Equatable, CustomStringConvertible {
        case file(String)
        case url(String)

        /// Treats any argument with a scheme as a URL. The fetcher validates it.
        init(_ argument: String) {
            self = argument.firstRange(of: "://") == nil ? .file(argument) : .url(argument)
        }

        /// The path, or the URL without what may hold a secret.
        var description: String {
            switch self {
            case .file(let path): path
            case .url(let url): SignedURL.place(of: url)
            }
        }

        /// The last part of the path.
        fileprivate var fileName: String {
            let path =
                switch self {
                case .file(let path): path
                case .url(let url): String(url.prefix { $0 != "?" && $0 != "#" })
                }
            return String(LocalFile.name(of: path))
        }
    }

    /// A picture before it has a path of its own, or something that can't be read and fails as one.
    struct Unnamed: Sendable {
        var place: Place
        /// Directories below the output, such as `a/b/`: those between the one that was given and the
        /// picture.
        var below = ""
        /// The name that a list gives; nil takes the picture's own.
        var id: String?
        var title: String?
        /// Why it can't be read, as a sentence.
        var problem: String?
        /// Whether a directory was given, and not the picture itself.
        var isInDirectory = false

        /// The part of the name that level and format follow.
        fileprivate var base: String {
            id.map { ThumbInput.safe($0) } ?? ThumbInput.base(of: place.fileName)
        }
    }

    var place: Place
    /// Path below the output directory, to which level and extension are appended.
    var name: String
    /// As a list has them.
    var id: String?
    var title: String?
    /// Why it can't be read, as a sentence.
    var problem: String?

    /// Names the pictures in order.
    ///
    /// Pictures in one directory whose names differ in their extensions only keep these, so that a
    /// picture that is added later doesn't take the name of another. If several still have the same
    /// name, all but the first get `-2`, `-3`, …
    ///
    /// No generated name equals a `reserved` one or another picture's own name.
    static func named(_ pictures: [Unnamed], reserved: Set<String> = []) -> [ThumbInput] {
        var bases: [Key: Int] = [:]
        for picture in pictures { bases[key(picture), default: 0] += 1 }
        let wanted = pictures.map { picture in
            let isAmbiguous =
                picture.isInDirectory && picture.id == nil && bases[key(picture), default: 0] > 1
            return picture.below + (isAmbiguous ? safe(picture.place.fileName) : picture.base)
        }
        let natural = Set(wanted.map { Array($0.utf8) })
        var taken = Set(reserved.map { Array($0.utf8) })
        var next: [Key: Int] = [:]
        return zip(pictures, wanted).map { picture, base in
            let own = Array(base.utf8)
            var (name, key) = (base, own)
            while taken.contains(key) || (key != own && natural.contains(key)) {
                next[own, default: 1] += 1
                name = "\(base)-\(next[own, default: 1])"
                key = Array(name.utf8)
            }
            taken.insert(key)
            return ThumbInput(
                place: picture.place, name: name, id: picture.id, title: picture.title,
                problem: picture.problem)
        }
    }

    /// Names by their bytes, as in directories: é in one character and in two are two names.
    typealias Key = [UInt8]

    var key: Key { Array(name.utf8) }

    /// The pictures that may differ in their extensions only.
    private static func key(_ picture: Unnamed) -> Key {
        Array("\(picture.isInDirectory) \(picture.below)\(picture.base)".utf8)
    }

    /// Returns a name without its extension and unsafe characters.
    private static func base(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return safe(name) }
        return safe(String(name[..<dot]))
    }

    /// Returns a name that is one part of a path on every system.
    private static func safe(_ name: String) -> String {
        // Not by characters: an accent after a slash makes one with it.
        var safe = ""
        for scalar in name.unicodeScalars {
            let isSafe =
                !"/\\:".unicodeScalars.contains(scalar) && scalar.value >= 0x20
                && scalar.value != 0x7f
            safe.unicodeScalars.append(isSafe ? scalar : "_")
        }
        return safe.allSatisfy { $0 == "." } ? "picture" : safe
    }
}
