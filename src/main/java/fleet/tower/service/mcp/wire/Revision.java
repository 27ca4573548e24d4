package fleet.tower.service.mcp.wire;

import java.util.Arrays;
import java.util.Optional;

/** A supported revision of the protocol. */
public enum Revision {
  /** With a handshake. */
  V2025_11_25("2025-11-25"),
  /** Without sessions: each request names its revision and its client's capabilities. */
  V2026_07_28("2026-07-28");

  private final String date;

  Revision(String date) {
    this.date = date;
  }

  /** The revision with a date; empty if it is not supported. */
  public static Optional<Revision> of(String date) {
    return Arrays.stream(values()).filter(it -> it.date.equals(date)).findFirst();
  }

  /** Whether each request names its revision; a legacy revision begins with a handshake. */
  public boolean isModern() {
    return this == V2026_07_28;
  }

  /** The name of the revision in messages. */
  @Override
  public String toString() {
    return date;
  }
}
