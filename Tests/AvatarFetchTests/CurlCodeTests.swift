import AvatarCore
import CCurl
import Testing

@testable import AvatarFetch

@Suite("libcurl's results") struct CurlCodeTests {
  @Test(arguments: [
    (CURLE_UNSUPPORTED_PROTOCOL, AvatarError.Code.originProtocol), (CURLE_URL_MALFORMAT, .invalidSourceURL),
    (CURLE_COULDNT_RESOLVE_PROXY, .originUnreachable), (CURLE_COULDNT_RESOLVE_HOST, .originUnreachable),
    (CURLE_COULDNT_CONNECT, .originUnreachable), (CURLE_WEIRD_SERVER_REPLY, .originProtocol),
    (CURLE_HTTP2, .originProtocol), (CURLE_PARTIAL_FILE, .originProtocol), (CURLE_WRITE_ERROR, .originProtocol),
    (CURLE_OPERATION_TIMEDOUT, .originTimedOut), (CURLE_RANGE_ERROR, .originProtocol),
    (CURLE_SSL_CONNECT_ERROR, .originTLSFailed), (CURLE_INTERFACE_FAILED, .originUnreachable),
    (CURLE_TOO_MANY_REDIRECTS, .originRedirect), (CURLE_GOT_NOTHING, .originProtocol),
    (CURLE_SEND_ERROR, .originUnreachable), (CURLE_RECV_ERROR, .originProtocol), (CURLE_SSL_CIPHER, .originTLSFailed),
    (CURLE_PEER_FAILED_VERIFICATION, .originTLSFailed), (CURLE_BAD_CONTENT_ENCODING, .originProtocol),
    (CURLE_FILESIZE_EXCEEDED, .sourceTooLarge), (CURLE_USE_SSL_FAILED, .originTLSFailed),
    (CURLE_SSL_SHUTDOWN_FAILED, .originTLSFailed), (CURLE_SSL_CRL_BADFILE, .originTLSFailed),
    (CURLE_SSL_ISSUER_ERROR, .originTLSFailed), (CURLE_CHUNK_FAILED, .originProtocol),
    (CURLE_NO_CONNECTION_AVAILABLE, .overloaded), (CURLE_SSL_PINNEDPUBKEYNOTMATCH, .originTLSFailed),
    (CURLE_SSL_INVALIDCERTSTATUS, .originTLSFailed), (CURLE_HTTP2_STREAM, .originProtocol),
    (CURLE_HTTP3, .originProtocol), (CURLE_QUIC_CONNECT_ERROR, .originProtocol), (CURLE_PROXY, .originUnreachable),
    (CURLE_SSL_CLIENTCERT, .originTLSFailed), (CURLE_SSL_CACERT_BADFILE, .internalFault),
    (CURLE_OUT_OF_MEMORY, .originProtocol), (CURLE_UNRECOVERABLE_POLL, .internalFault),
  ]) func `each has one of our codes, by number`(code: CURLcode, want: AvatarError.Code) {
    #expect(CurlCode.meaning(of: code.rawValue) == want, "\(code.rawValue)")
  }

  @Test func `every number that libcurl knows or may yet learn means a failure`() {
    let faults: Set<AvatarError.Code> = [
      .originUnreachable, .originTLSFailed, .originTimedOut, .originProtocol, .sourceTooLarge, .originRedirect,
      .invalidSourceURL, .overloaded, .internalFault,
    ]
    for number in UInt32(1)...120 { #expect(faults.contains(CurlCode.meaning(of: number)), "\(number)") }
  }
}
