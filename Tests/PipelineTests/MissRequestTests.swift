import Catalog
import Imaging
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct WalkOrderTests {
    private func order(_ names: [String], stage: MissRequest.Stage = .open) -> MissRequest {
        let levels = Level.defaults.filter { names.contains($0.name) }
        var order = MissRequest(Set(levels.map { Rendition(level: $0, format: .webp) }))
        order.stage = stage
        return order
    }

    @Test(
        arguments: [
            (["s"], .open, ["xl"], true, 1_280), (["m"], .chosen, ["s"], true, 320),
            (["m"], .chosen, ["l"], false, 320), (["m", "s"], .rendering, ["s"], true, 320),
            (["m"], .rendering, ["s"], false, 320), (["m"], .rendering, ["l"], false, 320),
        ] as [([String], MissRequest.Stage, [String], Bool, Int)])
    func `a late caller joins a miss while its request can still be met`(
        wanted: [String], stage: MissRequest.Stage, newcomer: [String], joins: Bool, width: Int
    ) {
        var merged = order(wanted, stage: stage)
        #expect(MissRequest.merge(&merged, order(newcomer)) == joins)
        #expect(merged.box.width == width)
        let all = joins ? Set(wanted + newcomer) : Set(wanted)
        #expect(Set(merged.renditions.map(\.level.name)) == all)
    }

    @Test func `a tile asks for a candidate that covers it in any usual shape`() {
        func box(_ fit: Level.Fit) -> PictureBox {
            let level = Level(name: "tile", width: 100, height: 60, fit: fit)
            return MissRequest([Rendition(level: level, format: .jpeg)]).box
        }
        #expect(box(.contain) == PictureBox(width: 100, height: 60))
        #expect(box(.cover(.top)) == PictureBox(width: 200, height: 120))
        #expect(box(.ground) == PictureBox(width: 100, height: 60))
    }
}
