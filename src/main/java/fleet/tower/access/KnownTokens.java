package fleet.tower.access;

import java.util.List;

/**
 * The valid and expired tokens of a source.
 *
 * @param operator the operator's tokens, the current one last
 */
public record KnownTokens(List<Generation> operator, List<Grant> grants) {
  /** No tokens. */
  public static final KnownTokens NONE = new KnownTokens(List.of(), List.of());

  public KnownTokens {
    operator = List.copyOf(operator);
    grants = List.copyOf(grants);
  }
}
