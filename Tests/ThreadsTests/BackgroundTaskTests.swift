import Testing
import Threads

@Suite(.timeLimit(.minutes(1))) struct BackgroundTaskTests {
    @Test func `work runs once until it is stopped, and can be started again`() async {
        let (task, starts, ends) = (BackgroundTask(), Counter(), Counter())
        func start() {
            task.start {
                starts.add()
                let canceled = Latch<Void>()
                await withTaskCancellationHandler {
                    await canceled.value()
                } onCancel: {
                    canceled.set(())
                }
                ends.add()
            }
        }
        #expect(!task.isStarted)
        for round in 1...2 {
            start()
            start()
            #expect(task.isStarted)
            #expect(await task.stop())
            #expect(!task.isStarted)
            #expect((starts.value, ends.value) == (round, round))
        }
        #expect(await !task.stop())
    }
}
