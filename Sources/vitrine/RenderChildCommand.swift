import ArgumentParser
import Imaging

/// What the program starts itself as, to render in a process without rights; not for people.
struct RenderChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render-child", abstract: "Render what another process sends.",
        shouldDisplay: false)

    func run() { RenderChild.run() }
}
