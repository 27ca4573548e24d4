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

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.disk.Errno;

/** A text file on disk: checks its type, size and encoding, and reads it. */
public record SourceFile(Path path, Kind kind) {
  private static final int MAX_BYTES = 256 * 1024;

  /** The attributes that change when a file changes. */
  public record Stamp(String attributes, long modifiedMillis) {}

  /** The current stamp. It changes with every modification of the file, even if its modification time is reset. */
  public Stamp stamp() throws IOException {
    Map<String, Object> attributes = Files.readAttributes(path, "unix:size,lastModifiedTime,ctime,ino,dev,mode");
    long modified = Files.getLastModifiedTime(path).toMillis();
    return new Stamp(new TreeMap<>(attributes).toString(), modified);
  }

  /** The text; empty if it cannot be read, and then an error is reported. */
  public Optional<String> read(Complaints complaints) {
    try {
      Optional<String> problem = problem();
      if (problem.isPresent()) {
        complaints.error(Node.Position.START, problem.get());
        return Optional.empty();
      }
      byte[] bytes = bytes();
      if (bytes.length > MAX_BYTES) {
        complaints.error(Node.Position.START, "is larger than " + MAX_BYTES / 1024 + " KiB; " + kind.ifLong());
        return Optional.empty();
      }
      return text(bytes, complaints);
    } catch (IOException e) {
      complaints.error(Node.Position.START, "cannot be read: " + Errno.describe(e));
      return Optional.empty();
    }
  }

  /**
   * The reason why the file must not be opened, if any. A link that points outside the directory would let anyone who
   * can write there reveal any file; within the directory, a Kubernetes volume uses links to replace all files at
   * once. Opening a pipe would block forever.
   */
  private Optional<String> problem() throws IOException {
    if (Files.isSymbolicLink(path)) {
      Path directory = path.toAbsolutePath().normalize().getParent();
      if (directory == null || Files.notExists(path) || !path.toRealPath().startsWith(directory.toRealPath())) {
        return Optional.of("is a symbolic link that leads out of the directory; put the file itself here");
      }
    }
    if (Files.isDirectory(path)) {
      return Optional.of("is a directory; " + kind.noun() + " must be a regular file");
    }
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path)) {
      return Optional.of("is a pipe or a device; " + kind.noun() + " must be a regular file");
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
      complaints.error(end(text), "is not valid UTF-8 here; save the file as UTF-8");
      return Optional.empty();
    }
    if (text.startsWith("\ufeff")) {
      complaints.error(Node.Position.START, "begins with a byte order mark; save the file as UTF-8 without one");
      return Optional.empty();
    }
    int odd = 0;
    while (odd < text.length() && isText(text.charAt(odd))) {
      odd++;
    }
    if (odd < text.length()) {
      complaints.error(end(text.substring(0, odd)),
          String.format("contains the control character U+%04X; remove it", (int) text.charAt(odd)));
      return Optional.empty();
    }
    return Optional.of(text);
  }

  private static boolean isText(char c) {
    return c == '\n' || c == '\r' || c == '\t' || (c >= ' ' && c < 0x7f) || c == 0x85
        || (c >= 0xa0 && c != 0xfeff && c < 0xfffe);
  }

  /** The position after a text, as the parser counts lines. */
  private static Node.Position end(String text) {
    String unix = text.replace("\r\n", "\n").replaceAll("[\r\u0085\u2028\u2029]", "\n");
    int line = (int) unix.chars().filter(c -> c == '\n').count() + 1;
    String last = unix.substring(unix.lastIndexOf('\n') + 1);
    return new Node.Position(line, last.codePointCount(0, last.length()) + 1);
  }

  /**
   * A kind of file, as error messages describe it.
   *
   * @param noun the noun with its article, such as {@code an intent}
   * @param ifEmpty the error for an empty file; null if a file may be empty
   * @param ifSecond the remedy for a second document
   * @param ifLong the remedy for a file that is too large
   */
  public record Kind(String noun, @Nullable String ifEmpty, String ifSecond, String ifLong) {}
}
