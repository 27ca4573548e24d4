package fleet.tower.access;

import java.util.List;

/** Identifies callers by their tokens. */
public interface Access {

  /** Identifies a token. Its duration reveals nothing about how close the token is to a valid one. */
  RecognitionOutcome recognise(String token);

  /** The same without requests to other systems. */
  default RecognitionOutcome recogniseHere(String token) {
    return recognise(token);
  }

  /** Re-reads the tokens. Called at least once a second, so that a revocation takes effect without a call. */
  default void refresh() {
    // Not every implementation stores tokens.
  }

  /** Problems of the token store. While there are any, the last valid tokens apply. */
  default List<String> complaints() {
    return List.of();
  }
}
