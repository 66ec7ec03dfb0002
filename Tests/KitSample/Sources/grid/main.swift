// Lists a catalog as a grid of 110 × 165 points would, and loads the pictures of its first rows:
// grid ADDRESS SOURCE LIST [COUNT]. Prints a line for each item.
import Foundation
import VitrineKit

let words = CommandLine.arguments
guard words.count > 3, let address = URL(string: words[1]) else {
    print("usage: grid ADDRESS SOURCE LIST [COUNT]")
    exit(64)
}
let (source, list, count) = (words[2], words[3], words.count > 4 ? Int(words[4]) ?? 20 : 20)
let client = VitrineClient(address)
let place = CGSize(width: 110, height: 165)

let service = try await client.service()
print(
    "levels:", service.levels.map { "\($0.name) \($0.width)x\($0.height)" }.joined(separator: ", "))
print("formats:", service.formats.joined(separator: ", "))
print(
    "lists:",
    service.sources.flatMap { source in source.lists.map { "\(source.name)/\($0.name)" } }
        .joined(separator: ", "))

var items: [Item] = []
for try await item in client.items(of: source, list) {
    items.append(item)
    if items.count == count { break }
}
let prefetcher = Prefetcher(client)
await prefetcher.show(
    items.compactMap { item in
        item.levels(for: place, scale: 2, among: service.levels).last.flatMap {
            client.url(of: $0.url)
        }
    })
await prefetcher.finished()

for item in items {
    // What the first visit has made is stored now.
    let item = try await client.item(item.id)
    let names = [1, 2, 3].map { scale in
        item.level(for: place, scale: scale, among: service.levels)?.name ?? "none"
    }
    let ladder = item.levels(for: place, scale: 3, among: service.levels).map { step in
        step.level.name + (step.isStored ? " stored" : "")
    }
    let color = item.thumbhash.flatMap(ThumbHash.init(base64:)).map { hash in
        String(
            format: "%.2f %.2f %.2f", hash.averageColor.red, hash.averageColor.green,
            hash.averageColor.blue)
    }
    print(
        [
            item.id, item.title, names.joined(separator: " "), ladder.joined(separator: ", "),
            color ?? "none",
            item.failure?.rawValue ?? "picture",
        ].joined(separator: "\t"))
}

// A refusal is a problem document.
do {
    _ = try await client.item("nothing/show/1")
} catch let problem as Problem {
    print("problem:", problem.name, problem.status, problem.message)
}
