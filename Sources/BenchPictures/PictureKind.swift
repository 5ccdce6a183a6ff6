/// What an origin can have in store; the raw value is the name in URLs.
public enum PictureKind: String, CaseIterable, Sendable {
  /// A photo as most avatars are, 400×400.
  case jpeg400 = "jpeg-400"
  /// A photo of 1024×1024.
  case jpeg1024 = "jpeg-1024"
  /// A camera's photo: 4000×3000 stored pixels, to be turned by a quarter (EXIF orientation 6).
  case jpeg12MP = "jpeg-12mp"
  /// 512×512 with transparency.
  case png512 = "png-512"
  /// 512×512, lossy.
  case webP512 = "webp-512"
  /// 256×256, four frames.
  case gif256 = "gif-256"
  /// A logo as text.
  case svg
  /// A valid PNG of a few tens of kilobytes that is 400 megapixels.
  case bombPNG = "bomb-png"
  /// The first part of a `jpeg400`.
  case truncatedJPEG = "truncated-jpeg"
  /// Random bytes that are called image/jpeg.
  case garbage
  /// A web page that is called image/png.
  case html
  /// A small drawing of nested entities and nested uses, billions of them.
  case svgBomb = "svg-bomb"

  /// What the origin says it is, which need not be true.
  public var contentType: String {
    switch self {
    case .jpeg400, .jpeg1024, .jpeg12MP, .truncatedJPEG, .garbage: "image/jpeg"
    case .png512, .bombPNG, .html: "image/png"
    case .webP512: "image/webp"
    case .gif256: "image/gif"
    case .svg, .svgBomb: "image/svg+xml"
    }
  }

  /// Whether a service must refuse it.
  public var isHostile: Bool {
    switch self {
    case .bombPNG, .truncatedJPEG, .garbage, .html, .svgBomb: true
    case .jpeg400, .jpeg1024, .jpeg12MP, .png512, .webP512, .gif256, .svg: false
    }
  }

  /// Pictures that are too large to be kept in any number.
  var mostVariations: Int { self == .jpeg12MP ? 2 : .max }
}
