import Glibc

/// What a demo says. Each line shows at once, through a pipe, too.
enum DemoText {
    static func line(_ text: String) {
        print(text)
        fflush(nil)
    }
}
