package fleet.tower.lock.file;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** The steps of a schedule; recorded only if they are read. */
final class Trace {
  private final @Nullable List<String> lines;

  private Trace(@Nullable List<String> lines) {
    this.lines = lines;
  }

  static Trace kept() {
    return new Trace(new ArrayList<>());
  }

  static Trace none() {
    return new Trace(null);
  }

  void add(Object who, String what, @Nullable Object detail) {
    if (lines != null) {
      lines.add(String.format("%4d %-9s %s%s", lines.size(), who, what, detail == null ? "" : " " + detail));
    }
  }

  @Override
  public String toString() {
    return lines == null ? "" : String.join("\n", lines);
  }
}
