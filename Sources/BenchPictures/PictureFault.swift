/// A picture could not be made: libvips is not there, or lacks a writer.
public struct PictureFault: Error, CustomStringConvertible {
  /// What libvips says of it.
  public let description: String
}
