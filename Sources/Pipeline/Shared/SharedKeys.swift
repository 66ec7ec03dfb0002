import Catalog
import Hashing
import Imaging
import Objects
import Store

/// The keys of the shared store. Each follows from what its object is, so that all nodes agree
/// without asking each other. `docs/scaling.md` lists them.
struct SharedKeys: Sendable {
    /// What a bundle holds: the configured levels in the formats of warm runs, in their order there.
    let renditions: [Rendition]
    /// Names everything that decides a bundle's bytes besides the original.
    let recipe: String
    private let renderer: Renderer

    init(levels: [Level], formats: [ThumbnailFormat], _ renderer: Renderer) {
        let ordered = ThumbnailFormat.allCases.filter(formats.contains)
        renditions = levels.flatMap { level in
            ordered.map { Rendition(level: level, format: $0) }
        }
        self.renderer = renderer
        recipe = Self.recipe(of: renditions, renderer)
    }

    /// References of items.
    static let references = "i/"
    /// Bundles and single renditions.
    static let thumbnails = "t/"
    /// Objects that were wrong.
    static let quarantine = "q/"

    /// Where an item's picture is described.
    static func reference(_ item: Item) -> String {
        reference(Digest(of: Array("\(item)".utf8)))
    }

    static func reference(_ name: Digest) -> String { "\(references)\(split(name))" }

    /// The bundle of an original.
    func bundle(_ original: Digest) -> String { bundle(original, recipe: recipe) }

    func bundle(_ original: Digest, recipe: String) -> String {
        "\(Self.thumbnails)\(recipe)/\(Self.split(original))"
    }

    /// A rendition outside the bundle. Its recipe is its own.
    func single(_ original: Digest, _ rendition: Rendition) -> String {
        let level = rendition.level.name
        return "\(Self.thumbnails)\(recipe(of: rendition))/\(Self.split(original)).\(level)."
            + rendition.format.fileExtension
    }

    func recipe(of rendition: Rendition) -> String { Self.recipe(of: [rendition], renderer) }

    /// The name of a rendition in a bundle, such as `m:320x480.webp`.
    static func name(_ rendition: Rendition) -> String {
        "\(rendition.level.key).\(rendition.format.fileExtension)"
    }

    private static func recipe(of renditions: [Rendition], _ renderer: Renderer) -> String {
        let lines = renditions.map { "\(name($0)) \(renderer.recipe(for: $0))" }
        let text = (["bundle \(PictureBundle.version)"] + lines).joined(separator: "\n")
        return String(Digest(of: Array(text.utf8)).hex.prefix(16))
    }

    /// The two digits spread the load over the store's partitions.
    private static func split(_ digest: Digest) -> String {
        "\(digest.hex.prefix(2))/\(digest.hex)"
    }
}
