import CCrypto
import Glibc

/// Why a TLS connection ended before its time. The description is for the log.
package enum TLSFault: Error, Equatable, CustomStringConvertible {
    /// The client speaks HTTP without TLS.
    case plainHTTP
    case notTLS
    /// The client offers neither HTTP/2 nor HTTP/1.1.
    case noCommonApplication
    case noCommonVersion, noCommonSuite
    /// The client's part of the handshake is larger than ``TLSContext/maxHandshake``.
    case handshakeTooLong
    /// The client has gone without close_notify.
    case cutOff
    /// The client sends records without data, one after the other.
    case floods
    /// The client ended the connection with this alert (RFC 8446, section 6).
    case alert(Int)
    /// The socket failed with this `errno`.
    case socket(CInt)
    /// Another failure, as OpenSSL numbers it.
    case other(UInt)

    /// - Parameters:
    ///   - error: the newest in OpenSSL's queue; 0 for none.
    ///   - code: `errno` of the socket; 0 if it didn't fail.
    init(_ error: UInt, socket code: CInt) {
        if code == EMSGSIZE {
            self = .handshakeTooLong
        } else if code != 0 {
            self = .socket(code)
        } else if error == 0 {
            self = .cutOff
        } else if vitrine_tls_library(error) == ERR_LIB_SSL {
            self = Self.named(vitrine_tls_reason(error)) ?? .other(error)
        } else {
            self = .other(error)
        }
    }

    private static func named(_ reason: CInt) -> TLSFault? {
        switch reason {
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: .plainHTTP
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_UNEXPECTED_MESSAGE, SSL_R_RECORD_LENGTH_MISMATCH,
            SSL_R_PACKET_LENGTH_TOO_LONG:
            .notTLS
        case SSL_R_NO_APPLICATION_PROTOCOL: .noCommonApplication
        case SSL_R_UNSUPPORTED_PROTOCOL: .noCommonVersion
        case SSL_R_NO_SHARED_CIPHER: .noCommonSuite
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: .cutOff
        case firstAlert..<firstAlert + 256: .alert(Int(reason - firstAlert))
        default: nil
        }
    }

    /// OpenSSL counts the reasons of received alerts from here.
    private static var firstAlert: CInt { SSL_AD_REASON_OFFSET }

    package var description: String {
        switch self {
        case .plainHTTP: "A client sent HTTP without TLS. This address answers https:// only."
        case .notTLS: "A client sent something other than TLS."
        case .noCommonApplication: "A client offered neither HTTP/2 nor HTTP/1.1."
        case .noCommonVersion: "A client offered only TLS versions before 1.2."
        case .noCommonSuite: "A client offered no cipher suite with ephemeral keys and AEAD."
        case .handshakeTooLong:
            "A client's handshake has more than \(TLSContext.maxHandshake >> 10) KiB."
        case .cutOff: "A client closed its connection without ending TLS."
        case .floods: "A client sent TLS records without data, one after the other."
        case .alert(let code): "A client ended TLS: \(Self.alert(code))."
        case .socket(let code): "\(SystemError("socket", code))"
        case .other(let error): "TLS failed: \(Self.text(error))."
        }
    }

    private static func alert(_ code: Int) -> String {
        SSL_alert_desc_string_long(CInt(code)).map { String(cString: $0) } ?? "alert \(code)"
    }

    private static func text(_ error: UInt) -> String {
        ERR_reason_error_string(error).map { String(cString: $0) } ?? "error \(error)"
    }
}
