import Foundation

#if canImport(ImageIO)
  import ImageIO
#endif
#if canImport(UniformTypeIdentifiers)
  import UniformTypeIdentifiers
#endif

/// Makes a small JPEG of a picture in any format that the phone knows, within the memory of an extension.
enum Thumbnail {
  /// The bytes as a JPEG of at most `side` pixels each way: as they are if they are one, else through ImageIO.
  ///
  /// The header is asked for the size first; nothing is decoded above `maximumPixels`.
  static func make(_ bytes: Data, side: Int, maximumPixels: Int) -> Result<Data, DownloadFault> {
    if JPEGGlance.isReady(bytes, side: side) { return .success(bytes) }
    #if canImport(ImageIO) && canImport(UniformTypeIdentifiers)
      return reduced(bytes, side: side, maximumPixels: maximumPixels)
    #else
      return .failure(.notAnImage)
    #endif
  }

  #if canImport(ImageIO) && canImport(UniformTypeIdentifiers)
    private static func reduced(_ bytes: Data, side: Int, maximumPixels: Int) -> Result<Data, DownloadFault> {
      let uncached = options([kCGImageSourceShouldCache: false])
      guard let source = CGImageSourceCreateWithData(NSData(data: bytes) as CFData, uncached),
        CGImageSourceGetCount(source) > 0, CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete,
        let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, uncached) as NSDictionary?,
        let width = (properties[kCGImagePropertyPixelWidth] as? NSNumber)?.intValue, width > 0,
        let height = (properties[kCGImagePropertyPixelHeight] as? NSNumber)?.intValue, height > 0
      else { return .failure(.notAnImage) }
      let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
      guard !overflows, pixels <= maximumPixels else { return .failure(.tooManyPixels) }
      let reduction = options([
        kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceShouldCacheImmediately: false, kCGImageSourceThumbnailMaxPixelSize: side,
      ])
      let written = NSMutableData()
      guard let image = CGImageSourceCreateThumbnailAtIndex(source, 0, reduction),
        let destination = CGImageDestinationCreateWithData(
          written as CFMutableData, NSString(string: UTType.jpeg.identifier) as CFString, 1, nil)
      else { return .failure(.notAnImage) }
      CGImageDestinationAddImage(destination, image, options([kCGImageDestinationLossyCompressionQuality: 0.85]))
      guard CGImageDestinationFinalize(destination) else { return .failure(.notAnImage) }
      return .success(Data(bytes: written.bytes, count: written.length))
    }

    private static func options(_ values: [CFString: Any]) -> CFDictionary {
      let dictionary = NSMutableDictionary()
      for (key, value) in values { dictionary[key] = value }
      return dictionary as CFDictionary
    }
  #endif
}
