import CLinux
import Glibc

/// The system calls for a terminal.
enum Terminal {
    /// Returns the width in columns; 80 if the descriptor is not a terminal.
    static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes without a buffer. Errors are ignored, because they can be reported nowhere else.
    static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let sent = Glibc.write(
                    descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if sent >= 0 {
                    written += sent
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
