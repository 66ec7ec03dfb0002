import Foundation
import Testing
import VitrineKit

@Suite(.timeLimit(.minutes(1))) struct LevelTests {
    @Test(
        arguments: [
            // A place of 110 × 165 points, for a picture of unknown shape.
            (110, 165, 1, nil, "s"), (110, 165, 2, nil, "m"), (110, 165, 3, nil, "l"),
            // Exactly a level's box.
            (80, 120, 1, nil, "xs"), (160, 240, 2, nil, "m"), (80.5, 120, 1, nil, "s"),
            // A square place needs the box's height, too, until the shape is known.
            (100, 100, 1, nil, "s"), (160, 160, 1, nil, "s"), (160, 160, 1, 1, "s"),
            // A poster in a square is as high as the square, and no wider than its shape.
            (110, 110, 1, 0.68, "xs"), (110, 110, 2, 0.68, "s"),
            // A landscape of 2:1 in that square is 110 wide.
            (110, 110, 1, 2, "s"), (110, 110, 3, 2, "l"),
            // Larger than every level.
            (2_000, 3_000, 3, nil, "xl"), (2_000, 3_000, 3, 0.68, "xl"),
            (0, 0, 1, nil, "xs"), (110, 165, 1, 0, "s"),
        ] as [(Double, Double, Double, Double?, String)])
    func `the smallest level that is sharp in a place is taken`(
        width: Double, height: Double, scale: Double, aspectRatio: Double?, name: String
    ) {
        let level = Level.best(
            for: CGSize(width: width, height: height), scale: scale,
            among: Level.standard.reversed(), aspectRatio: aspectRatio)
        #expect(level?.name == name)
    }

    @Test func `without levels there is none`() {
        #expect(Level.best(for: CGSize(width: 1, height: 1), scale: 1, among: []) == nil)
    }

    private func item(stored: Set<String>, levels: [Level] = Level.standard) throws -> Item {
        let links = levels.map { level in
            """
            "\(level.name)": {"url": "/t/\(level.name)/a/b/1", "width": \(level.width), \
            "height": \(level.height), "box": \(!stored.contains(level.name))}
            """
        }
        let text = """
            {"id": "1", "item": "a/b/1", "title": "One", "genres": [], "srcset": "", \
            "thumbnails": {\(links.joined(separator: ","))}}
            """
        return try JSONDecoder().decode(Item.self, from: Data(text.utf8))
    }

    @Test(
        arguments: [
            ([], ["l"]), (["l"], ["l stored"]), (["xs"], ["xs stored", "l"]),
            (["s", "m"], ["s stored", "l"]), (["xs", "l"], ["xs stored", "l stored"]),
            (["xl"], ["l"]),
        ] as [(Set<String>, [String])])
    func `the ladder is the smallest stored level, then the sharp one`(
        stored: Set<String>, steps: [String]
    ) throws {
        let item = try item(stored: stored)
        let ladder = item.levels(for: CGSize(width: 110, height: 165), scale: 3)
        #expect(ladder.map { $0.level.name + ($0.isStored ? " stored" : "") } == steps)
        #expect(ladder.last?.url == "/t/l/a/b/1")
    }

    @Test func `an item that has no picture has no levels`() throws {
        let item = try item(stored: [], levels: [])
        #expect(item.levels(for: CGSize(width: 110, height: 165), scale: 3).isEmpty)
        #expect(item.level(for: CGSize(width: 110, height: 165), scale: 3) == nil)
    }
}
