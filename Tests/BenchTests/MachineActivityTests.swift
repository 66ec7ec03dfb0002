import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct MachineActivityTests {
    @Test func `time that the host took counts as busy, waiting for a disk does not`() throws {
        let text = "cpu  100 10 20 500 70 1 2 30 0 0\ncpu0 1 1 1 1 1 1 1 1\n"
        let (all, busy) = try #require(MachineActivity.totals(ofStat: text))
        #expect(all == 733)
        #expect(busy == 163)
    }

    @Test(arguments: ["", "cpu0 1 2 3 4 5", "cpu  1 2", "intr 1 2 3 4 5"])
    func `a file that is not the kernel's says nothing`(text: String) {
        #expect(MachineActivity.totals(ofStat: text) == nil)
    }

    @Test func `what this program used is not the others'`() {
        let before = MachineActivity(all: 1_000, busy: 400, own: 50)
        let after = MachineActivity(all: 1_200, busy: 550, own: 150)
        #expect(after.others(since: before) == 0.25)
        #expect(MachineActivity(all: 1_005, busy: 401, own: 50).others(since: before) == nil)
        #expect(MachineActivity(all: 1_200, busy: 400, own: 90).others(since: before) == 0)
    }

    @Test func `a process is read although its name has spaces and brackets`() throws {
        let text =
            "42 (a) b (c) S 7 42 42 0 -1 4194560 100 200 3 4 11 13 17 19 20 0 4 0 99 1000 555 0 0"
        let entry = try #require(ProcessTree.entry(ofStat: text))
        #expect(
            entry
                == .init(
                    identifier: 42, parent: 7, ticks: 60, residentPages: 555))
        #expect(ProcessTree.entry(ofStat: "42 (a S 7") == nil)
    }

    @Test func `a family is a process and all that descend from it`() {
        func entry(_ identifier: Int, _ parent: Int) -> ProcessTree.Entry {
            .init(
                identifier: identifier, parent: parent, ticks: identifier, residentPages: 0)
        }
        let tree = ProcessTree(
            entries: [entry(1, 0), entry(5, 3), entry(3, 2), entry(2, 1), entry(4, 1)])
        #expect(tree.family(of: 2).map(\.identifier) == [2, 3, 5])
        #expect(tree.family(of: 9).isEmpty)
    }

    @Test func `a machine file gives the value of its first line with the key`() {
        let text = "vendor_id\t: X\nmodel name\t: A CPU @ 2:1\nmodel name\t: Other\n"
        #expect(ProcFile.value(of: "model name", separator: ":", in: text) == "A CPU @ 2:1")
        #expect(ProcFile.value(of: "NAME", separator: "=", in: "NAME=\"D 12\"") == "D 12")
        #expect(ProcFile.value(of: "none", separator: "=", in: text) == nil)
    }

    @Test(arguments: [
        ("model name\t: A CPU\n", "A CPU"),
        ("BogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "arm64 0x41 0xd0c"),
        ("BogoMIPS\t: 50.00\n", nil),
    ])
    func `a processor has a name, or the numbers of its maker and its part`(
        text: String, name: String?
    ) {
        #expect(BenchMachine.processor(in: text) == name)
    }

    @Test func `this machine can be read`() throws {
        let machine = BenchMachine.read()
        #expect(machine.cores >= 1)
        #expect(machine.memory > 0)
        #expect(!machine.kernel.isEmpty)
        let activity = try #require(MachineActivity.now())
        #expect(activity.all > 0)
        #expect(BenchLoad.now().averages.count == 3)
    }
}
