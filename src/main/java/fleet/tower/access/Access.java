package fleet.tower.access;

import java.util.List;

/** Knows callers by their tokens. */
public interface Access {

  /** Whose token it is. The time that takes tells nothing about how close it was to a good one. */
  Recognition recognise(String token);

  /** What is wrong with where the tokens are kept; while there is something, those that were good last are known. */
  default List<String> complaints() {
    return List.of();
  }
}
