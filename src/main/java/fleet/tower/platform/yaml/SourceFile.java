package fleet.tower.platform.yaml;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import fleet.tower.platform.disk.Errno;

/** A file as bytes on a disk: what it may be, how much of it is read, and in which letters. */
public record SourceFile(Path path, Form form) {
  private static final int MAX_BYTES = 256 * 1024;

  /** What tells whether a file has changed. */
  public record Stamp(String attributes, long modifiedMillis) {}

  /** Its stamp now; it changes with everything that is done to the file, whatever is done to its times afterwards. */
  public Stamp stamp() throws IOException {
    Map<String, Object> attributes = Files.readAttributes(path, "unix:size,lastModifiedTime,ctime,ino,dev,mode");
    long modified = Files.getLastModifiedTime(path).toMillis();
    return new Stamp(new TreeMap<>(attributes).toString(), modified);
  }

  /** Its text; nothing where it cannot be had, and then there is a complaint. */
  public Optional<String> read(Complaints complaints) {
    try {
      Optional<String> problem = problem();
      if (problem.isPresent()) {
        complaints.error(Node.Place.START, problem.get());
        return Optional.empty();
      }
      byte[] bytes = bytes();
      if (bytes.length > MAX_BYTES) {
        complaints.error(Node.Place.START, "has more than " + MAX_BYTES / 1024 + " KiB; " + form.ifLong());
        return Optional.empty();
      }
      return text(bytes, complaints);
    } catch (IOException e) {
      complaints.error(Node.Place.START, "cannot be read: " + Errno.describe(e));
      return Optional.empty();
    }
  }

  /**
   * A link out of the directory would let who may write there show any file; within it, links are how a volume of Kubernetes
   * exchanges all its files at once. A pipe would be waited for for ever, so nothing but a file is opened.
   */
  private Optional<String> problem() throws IOException {
    if (Files.isSymbolicLink(path)) {
      Path directory = path.toAbsolutePath().normalize().getParent();
      if (directory == null || Files.notExists(path) || !path.toRealPath().startsWith(directory.toRealPath())) {
        return Optional.of("is a link that leads out of the directory; put the file itself here");
      }
    }
    if (Files.isDirectory(path)) {
      return Optional.of("is a directory; " + form.noun() + " is a file");
    }
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path)) {
      return Optional.of("is a pipe or a device; " + form.noun() + " is a file");
    }
    return Optional.empty();
  }

  private byte[] bytes() throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return in.readNBytes(MAX_BYTES + 1);
    }
  }

  private static Optional<String> text(byte[] bytes, Complaints complaints) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer chars = CharBuffer.allocate(bytes.length + 1);
    CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), chars, true);
    String text = chars.flip().toString();
    if (result.isError()) {
      complaints.error(end(text), "is no UTF-8 here; save the file as UTF-8");
      return Optional.empty();
    }
    if (text.startsWith("\ufeff")) {
      complaints.error(Node.Place.START, "begins with a byte order mark; save the file as UTF-8 without one");
      return Optional.empty();
    }
    int odd = 0;
    while (odd < text.length() && isText(text.charAt(odd))) {
      odd++;
    }
    if (odd < text.length()) {
      complaints.error(end(text.substring(0, odd)),
          String.format("has the control character U+%04X, which is no text", (int) text.charAt(odd)));
      return Optional.empty();
    }
    return Optional.of(text);
  }

  private static boolean isText(char c) {
    return c == '\n' || c == '\r' || c == '\t' || (c >= ' ' && c < 0x7f) || c == 0x85
        || (c >= 0xa0 && c != 0xfeff && c < 0xfffe);
  }

  /** The place behind a text, as the parser counts lines. */
  private static Node.Place end(String text) {
    String unix = text.replace("\r\n", "\n").replaceAll("[\r\u0085\u2028\u2029]", "\n");
    int line = (int) unix.chars().filter(c -> c == '\n').count() + 1;
    String last = unix.substring(unix.lastIndexOf('\n') + 1);
    return new Node.Place(line, last.codePointCount(0, last.length()) + 1);
  }
}
