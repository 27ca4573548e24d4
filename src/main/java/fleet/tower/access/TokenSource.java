package fleet.tower.access;

import java.util.List;

/** A source of tokens, as one process knows it. While it is invalid or unavailable, its last valid tokens apply. */
public interface TokenSource {

  /** The tokens as last read; never waits for another system. */
  Known known();

  /** The tokens after a check that is made now, if the source permits one. */
  Known renewed();

  /** The tokens after a check that makes no request to another system. */
  default Known renewedHere() {
    return renewed();
  }

  /** Re-reads the tokens if it is time; never waits for another system. */
  default void refresh() {
    known();
  }

  /** Problems of the source. */
  default List<String> complaints() {
    return List.of();
  }

  /**
   * The valid and expired tokens of a source.
   *
   * @param operator the operator's tokens, the current one last
   */
  record Known(List<Generation> operator, List<Grant> grants) {
    /** No tokens. */
    public static final Known NONE = new Known(List.of(), List.of());

    public Known {
      operator = List.copyOf(operator);
      grants = List.copyOf(grants);
    }
  }
}
