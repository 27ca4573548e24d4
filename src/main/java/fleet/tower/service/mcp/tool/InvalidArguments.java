package fleet.tower.service.mcp.tool;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** Thrown for arguments that a tool does not accept. */
public final class InvalidArguments extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient List<Mistake> mistakes;
  private final @Nullable String nearest;

  /** @param nearest the accepted arguments that were probably meant, as JSON; null if there are none */
  InvalidArguments(List<Mistake> mistakes, @Nullable String nearest) {
    super(mistakes.toString(), null, false, false);
    this.mistakes = List.copyOf(mistakes);
    this.nearest = nearest;
  }

  /** A JSON pointer to an argument, and what is wrong with it. */
  public record Mistake(String pointer, String message) {}

  List<Mistake> mistakes() {
    return mistakes;
  }

  @Nullable
  String nearest() {
    return nearest;
  }
}
