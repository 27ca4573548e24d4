package fleet.tower.answer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.ErrorCode;

/** The refusal of a command, by a service or by this program, with the answer that the command gives. */
public final class RefusedCommand extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final @Nullable ErrorCode code;
  private final transient Reply reply;

  /** A refusal that this program makes. */
  public RefusedCommand(ErrorCode code, Reply reply) {
    this(code.code(), code, reply);
  }

  /** A refusal of a service, which may be newer than this program and use codes that are unknown here. */
  public RefusedCommand(String code, Reply reply) {
    this(code, ErrorCode.of(code).orElse(null), reply);
  }

  private RefusedCommand(String text, @Nullable ErrorCode code, Reply reply) {
    super(text);
    this.code = code;
    this.reply = reply;
  }

  /** Whether it has this code. */
  public boolean is(ErrorCode other) {
    return code == other;
  }

  /** Whether the same call may succeed in a moment. */
  public boolean isPassing() {
    return code != null && code.isPassing();
  }

  /** Its code; null if this program does not know it. */
  public @Nullable ErrorCode code() {
    return code;
  }

  public Reply reply() {
    return reply;
  }
}
