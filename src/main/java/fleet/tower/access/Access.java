package fleet.tower.access;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

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

  /** The outcome of identifying a token. */
  sealed interface RecognitionOutcome {

    /** The token is valid. */
    record Known(Caller caller) implements RecognitionOutcome {}

    /**
     * The token is not valid.
     *
     * @param name the name of its current or former owner, if certain
     *
     * @param detail the explanation for the bearer; reveals nothing that the token itself does not
     */
    record Refused(Reason reason, @Nullable String name, String detail) implements RecognitionOutcome {}

    /** The token cannot be checked now, because its issuer is unavailable. */
    record Undecided(String problem) implements RecognitionOutcome {}

    /** Why a token is not valid. */
    enum Reason {
      MISSING_TOKEN, UNKNOWN_TOKEN, EXPIRED_TOKEN, INVALID_TOKEN, NO_ROLE;

      @Override
      public String toString() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    /** The outcome for a call without a token. */
    static RecognitionOutcome missing() {
      return new Refused(Reason.MISSING_TOKEN, null, "this call requires a token");
    }

    /** The outcome for an unknown token. */
    static RecognitionOutcome unknown() {
      return new Refused(Reason.UNKNOWN_TOKEN, null, "the token is not known to this service");
    }
  }
}
