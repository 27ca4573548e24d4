package fleet.tower.access;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** What is known of who shows a token. */
public sealed interface Recognition {

  /** It is somebody's. */
  record Known(Caller caller) implements Recognition {
    public Known {
      requireNonNull(caller);
    }
  }

  /**
   * It lets nobody in.
   *
   * @param name whose it is, or was, where that is certain
   * @param detail what to tell who shows it; nothing that he would not know with the token in his hand
   */
  record Refused(Reason reason, @Nullable String name, String detail) implements Recognition {
    public Refused {
      requireNonNull(reason);
      requireNonNull(detail);
    }
  }

  /** Nobody can tell now, because those who would know cannot be asked. */
  record Undecided(String problem) implements Recognition {
    public Undecided {
      requireNonNull(problem);
    }
  }

  /** Why a token lets nobody in. */
  enum Reason {
    MISSING_TOKEN, UNKNOWN_TOKEN, EXPIRED_TOKEN, INVALID_TOKEN, NO_ROLE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A token that nobody has ever given to anybody, as far as is known here. */
  static Recognition unknown() {
    return new Refused(Reason.UNKNOWN_TOKEN, null, "this call needs a token that is known here");
  }
}
