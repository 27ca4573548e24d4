package fleet.tower.access;

import java.util.List;

/** Knows callers by their tokens. */
public interface Access {

  /** Whose token it is. The time that takes tells nothing about how close it was to a good one. */
  Recognition recognise(String token);

  /** The same without asking anybody outside this process, however long that takes to answer. */
  default Recognition recogniseHere(String token) {
    return recognise(token);
  }

  /** Looks where the tokens are kept. Called at least once a second, so that a revocation is noticed even if nobody calls. */
  default void refresh() {
    // Not everybody keeps tokens.
  }

  /** What is wrong with where the tokens are kept; while there is something, those that were good last are known. */
  default List<String> complaints() {
    return List.of();
  }
}
