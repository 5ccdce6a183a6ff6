/// The one error that crosses targets: a stable code for the outside, a detail for the log only.
///
/// Codes, statuses and wording are the contract's table of errors. `detail` may name hosts and addresses; it goes to
/// the log and to `inspect`, never into an answer of the public side.
public struct AvatarError: Error, Hashable, Sendable {
  /// The stable code that clients branch on; its raw value is what they read.
  public enum Code: String, CaseIterable, Sendable {
    case invalidRequest = "invalid_request"
    case invalidSourceURL = "invalid_source_url"
    case tooManySources = "too_many_sources"
    case unauthorized = "unauthorized"
    case methodNotAllowed = "method_not_allowed"
    case bodyTooLarge = "body_too_large"
    case uriTooLong = "uri_too_long"
    case unsupportedMediaType = "unsupported_media_type"
    case invalidSignature = "invalid_signature"
    case unsignedNotAllowed = "unsigned_not_allowed"
    case hostNotAllowed = "host_not_allowed"
    case addressNotAllowed = "address_not_allowed"
    case notFound = "not_found"
    case originNotFound = "origin_not_found"
    case imageUnsupported = "image_unsupported"
    case imageCorrupt = "image_corrupt"
    case imageTooManyPixels = "image_too_many_pixels"
    case sourceTooLarge = "source_too_large"
    case sourceEmpty = "source_empty"
    case originUnreachable = "origin_unreachable"
    case originTLSFailed = "origin_tls_failed"
    case originStatus = "origin_status"
    case originRedirect = "origin_redirect"
    case originProtocol = "origin_protocol"
    case overloaded = "overloaded"
    case originThrottled = "origin_throttled"
    case originTimedOut = "origin_timed_out"
    case budgetExceeded = "budget_exceeded"
    case notCached = "not_cached"
    case internalFault = "internal"
  }

  /// What went wrong, for programs.
  public let code: Code
  /// What went wrong, for the log. May name hosts and addresses; holds no query string, token or signature.
  public let detail: String
  /// The origin's HTTP status where one came (401 and 403 are remembered for the exact URL only), else nil.
  public let originStatus: Int?
  /// How long to wait before asking again, where the origin or our own queue said so.
  public let retryAfter: Duration?

  /// Makes an error; `detail` is for the log only.
  public init(_ code: Code, _ detail: String = "", originStatus: Int? = nil, retryAfter: Duration? = nil) {
    self.code = code
    self.detail = detail
    self.originStatus = originStatus
    self.retryAfter = retryAfter
  }
}

extension AvatarError.Code {
  /// The HTTP status that an answer with this code carries.
  public var status: Int {
    switch self {
    case .invalidRequest, .invalidSourceURL, .tooManySources: 400
    case .unauthorized: 401
    case .invalidSignature, .unsignedNotAllowed, .hostNotAllowed, .addressNotAllowed: 403
    case .notFound, .originNotFound: 404
    case .methodNotAllowed: 405
    case .bodyTooLarge: 413
    case .uriTooLong: 414
    case .unsupportedMediaType: 415
    case .imageUnsupported, .imageCorrupt, .imageTooManyPixels, .sourceTooLarge, .sourceEmpty: 422
    case .internalFault: 500
    case .originUnreachable, .originTLSFailed, .originStatus, .originRedirect, .originProtocol: 502
    case .overloaded, .originThrottled: 503
    case .originTimedOut, .budgetExceeded, .notCached: 504
    }
  }

  /// One short sentence for people, the same for every answer with this code; names nothing of the request.
  public var title: String {
    switch self {
    case .invalidRequest: "The request is not valid"
    case .invalidSourceURL: "The source URL is not one that is fetched"
    case .tooManySources: "An avatar has one to four sources"
    case .unauthorized: "A valid bearer token is required"
    case .methodNotAllowed: "The method is not allowed here"
    case .bodyTooLarge: "The request body is too large"
    case .uriTooLong: "The request target is too long"
    case .unsupportedMediaType: "The request body must be application/json"
    case .invalidSignature: "The signature does not match"
    case .unsignedNotAllowed: "Unsigned avatar URLs are not served here"
    case .hostNotAllowed: "The source's host is not allowed"
    case .addressNotAllowed: "The source's address is not allowed"
    case .notFound: "There is nothing here"
    case .originNotFound: "The origin does not have this picture"
    case .imageUnsupported: "The source is not an image of a supported format"
    case .imageCorrupt: "The image is damaged"
    case .imageTooManyPixels: "The image has too many pixels"
    case .sourceTooLarge: "The source has too many bytes"
    case .sourceEmpty: "The source is empty"
    case .originUnreachable: "The origin cannot be reached"
    case .originTLSFailed: "The origin's TLS is not valid"
    case .originStatus: "The origin answered with an error"
    case .originRedirect: "The origin's redirects cannot be followed"
    case .originProtocol: "The origin's answer is malformed or cut short"
    case .overloaded: "Too much work is waiting"
    case .originThrottled: "The origin asks for fewer requests"
    case .originTimedOut: "The origin did not answer in time"
    case .budgetExceeded: "The picture was not ready within the request's budget"
    case .notCached: "The picture is not in the cache"
    case .internalFault: "The service failed"
    }
  }
}
