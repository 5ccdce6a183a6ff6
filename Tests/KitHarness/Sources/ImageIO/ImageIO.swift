public import Foundation

// Stand-ins for what ImageIO exports, its re-exports of CoreFoundation and CoreGraphics among them. It knows PNG, as far as the header
// goes, and writes JPEGs that have a header and no picture.

/// As Apple's.
public typealias CFData = NSData
/// As Apple's.
public typealias CFMutableData = NSMutableData
/// As Apple's.
public typealias CFString = NSString
/// As Apple's.
public typealias CFDictionary = NSDictionary

/// As Apple's.
nonisolated(unsafe) public let kCGImageSourceShouldCache = NSString(string: "kCGImageSourceShouldCache")
/// As Apple's.
nonisolated(unsafe) public let kCGImageSourceShouldCacheImmediately = NSString(
  string: "kCGImageSourceShouldCacheImmediately")
/// As Apple's.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageAlways = NSString(
  string: "kCGImageSourceCreateThumbnailFromImageAlways")
/// As Apple's.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailWithTransform = NSString(
  string: "kCGImageSourceCreateThumbnailWithTransform")
/// As Apple's.
nonisolated(unsafe) public let kCGImageSourceThumbnailMaxPixelSize = NSString(
  string: "kCGImageSourceThumbnailMaxPixelSize")
/// As Apple's.
nonisolated(unsafe) public let kCGImageDestinationLossyCompressionQuality = NSString(
  string: "kCGImageDestinationLossyCompressionQuality")
/// As Apple's.
nonisolated(unsafe) public let kCGImagePropertyPixelWidth = NSString(string: "PixelWidth")
/// As Apple's.
nonisolated(unsafe) public let kCGImagePropertyPixelHeight = NSString(string: "PixelHeight")

/// As Apple's.
public enum CGImageSourceStatus: Int32 {
  /// As Apple's.
  case statusUnexpectedEOF = -5, statusInvalidData = -4, statusIncomplete = -1, statusComplete = 0
}

/// As Apple's.
public final class CGImageSource {
  let width: Int, height: Int, isWhole: Bool
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
    func number(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
    width = number(16)
    height = number(20)
    isWhole = bytes.suffix(8).starts(with: Array("IEND".utf8))
  }
}

/// As Apple's.
public final class CGImage {
  /// As Apple's.
  public let width: Int, height: Int
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// As Apple's.
public final class CGImageDestination {
  let target: NSMutableData
  var image: CGImage?
  init(_ target: NSMutableData) { self.target = target }
}

/// For tests: which sizes were decoded.
public enum Decodes {
  private static let lock = NSLock()
  // Under `lock`.
  nonisolated(unsafe) private static var sizes: [[Int]] = []
  /// Whether a picture of this size was.
  public static func contain(_ width: Int, _ height: Int) -> Bool { lock.withLock { sizes.contains([width, height]) } }
  static func note(_ width: Int, _ height: Int) { lock.withLock { sizes.append([width, height]) } }
}

/// As Apple's.
public func CGImageSourceCreateWithData(_ bytes: CFData, _ options: CFDictionary?) -> CGImageSource? {
  CGImageSource([UInt8](Data(bytes: bytes.bytes, count: bytes.length)))
}
/// As Apple's.
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { 1 }
/// As Apple's.
public func CGImageSourceGetStatusAtIndex(_ source: CGImageSource, _ index: Int) -> CGImageSourceStatus {
  source.isWhole ? .statusComplete : .statusIncomplete
}
/// As Apple's.
public func CGImageSourceCopyPropertiesAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
  let properties = NSMutableDictionary()
  properties[kCGImagePropertyPixelWidth] = NSNumber(value: source.width)
  properties[kCGImagePropertyPixelHeight] = NSNumber(value: source.height)
  return properties
}
/// As Apple's.
public func CGImageSourceCreateThumbnailAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  Decodes.note(source.width, source.height)
  guard let limit = options?[kCGImageSourceThumbnailMaxPixelSize] as? Int else { return nil }
  let ratio = min(1, Double(limit) / Double(max(source.width, source.height)))
  return CGImage(width: max(1, Int(Double(source.width) * ratio)), height: max(1, Int(Double(source.height) * ratio)))
}
/// As Apple's.
public func CGImageDestinationCreateWithData(
  _ target: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  type == NSString(string: "public.jpeg") ? CGImageDestination(target) : nil
}
/// As Apple's.
public func CGImageDestinationAddImage(
  _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) { destination.image = image }
/// As Apple's.
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool {
  guard let image = destination.image else { return false }
  func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
  let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8] + two(image.height) + two(image.width) + [1, 1, 0x11, 0]
  let bytes: [UInt8] = [0xFF, 0xD8] + frame + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0xFF, 0xD9]
  destination.target.append(Data(bytes))
  return true
}
