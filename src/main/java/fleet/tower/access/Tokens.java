package fleet.tower.access;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/** The tokens that an operator gives to others. A service that runs sees every change within a second. */
public interface Tokens {

  /** All of them, in the order in which they stand. */
  List<Grant> list();

  /** Gives somebody a new token. */
  Issued issue(Wanted wanted);

  /** Takes a token away; nothing where there is none of that name. */
  Optional<Revoked> revoke(String name);

  /** Who is to have a token, and what for; as in {@link Grant}. */
  record Wanted(String name, Role role, List<IntentPattern> intents, @Nullable Instant expires) {
    public Wanted {
      requireNonNull(name);
      requireNonNull(role);
      intents = List.copyOf(intents);
    }
  }

  /**
   * A token that was given.
   *
   * @param token the token itself, which is kept nowhere
   */
  record Issued(Grant grant, String token, Change change) {}

  /** A token that was taken away. */
  record Revoked(Grant grant, Change change) {}

  /**
   * What was written.
   *
   * @param keptComments whether everything else stands as it stood; otherwise the list was written anew, without its comments
   */
  record Change(String path, boolean keptComments) {}
}
