package fleet.tower.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/** The head of an HTTP request or response: the request line or status line, and the headers. */
public record HttpHead(List<String> lines) {
  public HttpHead {
    lines = List.copyOf(lines);
  }

  /** Reads a head; null at the end of a connection. */
  public static @Nullable HttpHead read(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = line(in); line != null; line = line(in)) {
      if (!line.isEmpty()) {
        lines.add(line);
      } else if (!lines.isEmpty()) {
        return new HttpHead(lines);
      }
    }
    return null;
  }

  /** Reads a line without its end; null at the end of a connection. */
  public static @Nullable String line(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int read = in.read(); read >= 0; read = in.read()) {
      if (read == '\n') {
        String line = bytes.toString(StandardCharsets.ISO_8859_1);
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      }
      bytes.write(read);
    }
    return null;
  }

  /** The request line or status line. */
  public String first() {
    return lines.getFirst();
  }

  /** The headers by their names, whose case does not matter. */
  public Map<String, String> headers() {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : lines.subList(1, lines.size())) {
      int colon = line.indexOf(':');
      headers.putIfAbsent(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    return headers;
  }

  /** The value of a header; empty if it is missing. */
  public String header(String name) {
    return headers().getOrDefault(name, "");
  }

  /** The length of the body; zero if no header states it. */
  public int contentLength() {
    String length = header("Content-Length");
    return length.isEmpty() ? 0 : Integer.parseInt(length);
  }

  /** The same with another value of a header. */
  public HttpHead with(String name, String value) {
    List<String> changed = new ArrayList<>(without(name).lines);
    changed.add(name + ": " + value);
    return new HttpHead(changed);
  }

  private HttpHead without(String name) {
    String start = name + ":";
    return new HttpHead(
        lines.stream().filter(line -> !line.regionMatches(true, 0, start, 0, start.length())).toList());
  }

  /** The same for a connection that is kept or closed after the message. */
  public HttpHead withConnection(String value) {
    return without("Keep-Alive").with("Connection", value);
  }

  public byte[] bytes() {
    return (String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }
}
