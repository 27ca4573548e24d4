package fleet.tower.access;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** The outcome of identifying a token. */
public sealed interface RecognitionOutcome {

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
