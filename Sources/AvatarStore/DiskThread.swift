/// What a thread that reads objects has of its own.
final class DiskThread {
  let reader: IndexReader
  let files: ObjectFiles

  init(reader: IndexReader, files: ObjectFiles) {
    self.reader = reader
    self.files = files
  }
}
