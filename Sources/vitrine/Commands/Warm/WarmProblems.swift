import Catalog
import Console
import Pipeline
import Synchronization

/// The items of a run that got no picture or not their first choice, with reasons. The first of each
/// kind are kept. Thread-safe.
final class WarmProblems: Sendable {
    /// Of each kind. A manifest has all.
    static let kept = 100

    private struct Kind {
        var lines: [String] = []
        var further = 0
    }

    private let kinds = Mutex<[String: Kind]>([:])

    func note(_ warmed: WarmedItem) {
        guard let reason = warmed.ending.reason else { return }
        let name = warmed.ending.name
        let item = Self.named(warmed.item)
        // Many reasons begin with the item.
        let line = reason.hasPrefix("\(item) ") ? "\(name) \(reason)" : "\(name) \(item): \(reason)"
        kinds.withLock { kinds in
            if kinds[name, default: Kind()].lines.count < Self.kept {
                kinds[name, default: Kind()].lines.append(line)
            } else {
                kinds[name, default: Kind()].further += 1
            }
        }
    }

    /// An item as it was asked for: a URL where it is one.
    static func named(_ item: Item) -> String { SignedURL.place(of: item) ?? "\(item)" }

    /// All lines, failures last, where they are read first.
    var lines: [String] {
        kinds.withLock { kinds in
            [("fallback", "fallback"), ("placeholder", "placeholder"), ("failed", "failure")]
                .flatMap { name, noun -> [String] in
                    guard let kind = kinds[name] else { return [] }
                    if kind.further == 0 { return kind.lines }
                    let rest = ReadableText.counted(kind.further, "more \(noun)")
                    return kind.lines + ["… and \(rest); all are in the manifest (--manifest)"]
                }
        }
    }
}
