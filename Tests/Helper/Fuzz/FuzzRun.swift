import Foundation
import Glibc
import Imaging
import TestSupport

/// Renders one input after the other, with the service's settings.
struct FuzzRun {
    private let loop: FuzzLoop
    private var options: FuzzOptions { loop.options }

    init(_ options: FuzzOptions, _ current: String) throws {
        loop = try FuzzLoop(options, current)
    }

    /// Returns whether no fault was found.
    func run() async throws -> Bool {
        let renderer = try Renderer(Self.configuration)
        var seeds = try await Seeds.drawn(renderer)
        if let directory = options.directory { seeds += try Seeds.files(in: directory) }
        let mutator = Mutator(seeds, seed: options.seed)
        let tenth = options.first + options.count / 10
        var early = 0
        let isFine = try await loop.run("\(seeds.count) pictures", sayingEvery: 5_000) { number in
            let input = options.soak ? seeds[number % seeds.count] : mutator.input(number)
            loop.keep(number, input)
            await render(input, number, renderer)
            if number == tenth { early = try Self.residentMemory() }
        }
        await renderer.shutdown()
        return try isSteady(since: early) && isFine
    }

    private func render(_ input: [UInt8], _ number: Int, _ renderer: Renderer) async {
        let level = Level(name: "fuzz", width: 32, height: 32)
        do throws(ImagingError) {
            let rendering = try await renderer.render(
                input, [Rendition(level: level, format: .png)])
            loop.count("rendered")
            let sizes = rendering.thumbnails.map { max($0.width, $0.height) }
            if sizes.count != 1 || sizes.contains(where: { !(1...32).contains($0) }) {
                loop.fault(number, "thumbnails of \(sizes)")
            }
        } catch {
            loop.count(error.kind)
            let sentence = error.description
            if !Self.isForPeople(sentence) { loop.fault(number, "not a sentence: \(sentence)") }
            switch error {
            case .crashed, .tooSlow: say("input \(number): \(sentence)")
            case .misconfigured, .overloaded, .stopped, .canceled, .quarantined:
                loop.fault(number, sentence)
            case .notAnImage, .unsupported, .broken, .overLimit:
                if options.soak, options.directory == nil { loop.fault(number, sentence) }
            }
        }
    }

    /// Returns whether a message is one readable line that ends like a sentence.
    static func isForPeople(_ sentence: String) -> Bool {
        sentence.hasSuffix(".") && sentence.utf8.count < 400
            && sentence.unicodeScalars.allSatisfy {
                let category = $0.properties.generalCategory
                return category != .control && category != .format && $0 != "\u{FFFD}"
            }
    }

    /// Returns whether memory is steady. What an allocator keeps differs by some megabytes from run
    /// to run; a leak of 10 KB per picture is more after a thousand.
    private func isSteady(since early: Int) throws -> Bool {
        let late = try Self.residentMemory()
        let allowed = early + early / (options.soak ? 20 : 5) + (8 << 20)
        say(
            "resident \(early >> 20) MiB after a tenth, \(late >> 20) MiB at the end, "
                + "at most \(allowed >> 20) MiB allowed")
        if late > allowed { say("FAULT: memory grows") }
        return late <= allowed
    }

    /// Returns resident bytes, from the kernel's second number of pages.
    private static func residentMemory() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            .split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * Int(getpagesize())
    }

    /// The service's settings, with the tests' program for children.
    static var configuration: ImagingConfiguration {
        var configuration = ImagingConfiguration()
        configuration.isolation.isOn = true
        configuration.isolation.executable = ChildPrograms.helper
        configuration.isolation.arguments = ["render", "render-child"]
        return configuration
    }
}

extension ImagingError {
    /// The name under which it is counted.
    var kind: String {
        switch self {
        case .notAnImage: "not an image"
        case .unsupported: "unsupported"
        case .broken: "broken"
        case .overLimit: "over a limit"
        case .overloaded: "overloaded"
        case .canceled: "canceled"
        case .stopped: "stopped"
        case .crashed: "crashed a child"
        case .tooSlow: "too slow"
        case .quarantined: "quarantined"
        case .misconfigured: "misconfigured"
        }
    }
}
