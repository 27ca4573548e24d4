package fleet.tower.access;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** Stored tokens: those that an operator creates for others, and the operator's own. */
public interface Tokens {

  /** All tokens of others, in the order of the file or by name. */
  List<Grant> list();

  /** The operator's own token; empty before the first start of the service. */
  Optional<OperatorToken> operator();

  /** When a token was last used on this host, within a minute; empty for never. */
  Optional<Instant> lastUse(Generation token);

  /** Creates a token. */
  Issued issue(TokenRequest request);

  /** Replaces a token with a new one that has the same rights; empty if no token has that name. */
  Optional<Issued> rotate(String name, Rotation rotation);

  /**
   * Replaces the operator's own token.
   *
   * @param overlap how long the previous one stays valid
   */
  RotatedOperator rotateOperator(Duration overlap);

  /**
   * Makes the token in this host's file the operator's; empty if it is already, as always without a fleet.
   *
   * @param overlap how long the previous one stays valid
   */
  Optional<RotatedOperator> adoptOperator(Duration overlap);

  /** Revokes a token, with the previous ones; empty if no token has that name. */
  Optional<Revoked> revoke(String name);

  /** The properties of a token to be created; see {@link Grant}. */
  record TokenRequest(String name, @Nullable String owner, Role role, Scope scope, @Nullable Instant expires) {}

  /**
   * How a token is replaced.
   *
   * @param overlap how long the previous one stays valid
   *
   * @param expiry the expiry of the new one; null to keep that of the previous one
   */
  record Rotation(Duration overlap, @Nullable Expiry expiry) {}

  /** An expiry; null for never. */
  record Expiry(@Nullable Instant at) {}

  /**
   * A created token.
   *
   * @param token the token itself, which is not stored
   */
  record Issued(Grant grant, String token, Change change) {}

  /**
   * The operator's own token, and the previous ones that are still valid, the newest first.
   *
   * @param hostId the host whose file has it; null if it is this one
   */
  record OperatorToken(Generation current, List<Generation> previous, @Nullable String hostId) {
    public OperatorToken {
      previous = List.copyOf(previous);
    }

    /** All tokens, the oldest first, so the current one last. */
    public List<Generation> generations() {
      return Stream.concat(previous.reversed().stream(), Stream.of(current)).toList();
    }
  }

  /** A new token of the operator, in the file at {@code path}. */
  record RotatedOperator(OperatorToken operator, String path) {}

  /** A revoked token. */
  record Revoked(Grant grant, Change change) {}

  /**
   * A change of the stored tokens.
   *
   * @param path the file, or the table in the fleet's database
   *
   * @param keptComments whether the rest of a file is unchanged; otherwise its list was rewritten without its comments
   */
  record Change(String path, boolean keptComments) {}
}
