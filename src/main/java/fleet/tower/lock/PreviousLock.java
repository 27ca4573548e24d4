package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;

/**
 * What stood under a name before it was removed by somebody else than its owner.
 *
 * @param lease null where it could not be read as one
 * @param hash {@code sha256:} and the digest of the exact bytes that were removed
 */
public record PreviousLock(@Nullable Lease lease, String hash) {
  public PreviousLock {
    requireNonNull(hash);
  }

  /** What stood there, with the digest of its bytes. */
  public static PreviousLock of(@Nullable Lease lease, byte[] bytes) {
    MessageDigest digest = sha256();
    return of(lease, digest, bytes);
  }

  /** What stood there, with a digest that has taken its bytes. */
  public static PreviousLock of(@Nullable Lease lease, MessageDigest digest, byte... rest) {
    return new PreviousLock(lease, "sha256:" + HexFormat.of().formatHex(digest.digest(rest)));
  }

  /** The digest that {@link #hash()} is made with. */
  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
