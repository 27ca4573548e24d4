package fleet.tower.access;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/** The tokens that an operator creates for others. A running service applies every change within a second. */
public interface Tokens {

  /** All tokens, in the order of the file. */
  List<Grant> list();

  /** Creates a token. */
  Issued issue(TokenRequest request);

  /** Revokes a token; empty if no token has that name. */
  Optional<Revoked> revoke(String name);

  /** The properties of a token to be created; see {@link Grant}. */
  record TokenRequest(String name, Role role, List<IntentPattern> intents, @Nullable Instant expires) {
    public TokenRequest {
      intents = List.copyOf(intents);
    }
  }

  /**
   * A created token.
   *
   * @param token the token itself, which is not stored
   */
  record Issued(Grant grant, String token, Change change) {}

  /** A revoked token. */
  record Revoked(Grant grant, Change change) {}

  /**
   * A change of the token file.
   *
   * @param keptComments whether the rest of the file is unchanged; otherwise the list was rewritten without its
   * comments
   */
  record Change(String path, boolean keptComments) {}
}
