package fleet.tower.access;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** A caller's proof of identity. It can be revoked or expire during a call. */
@FunctionalInterface
public interface Credential {

  /** No token: whoever may use the files of a home needs none. */
  Credential NONE = () -> true;

  /**
   * Whether it is still valid, with the same role or a higher one. Called often; makes no request to another system.
   */
  boolean isValid();

  /** Whether it was issued for a resource, given by its URL; those of a home are. */
  default boolean isFor(String resource) {
    return true;
  }

  /** When it expires, unless it is revoked before; null for never. */
  default @Nullable Instant expires() {
    return null;
  }
}
