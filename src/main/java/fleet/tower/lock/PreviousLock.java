package fleet.tower.lock;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;

/**
 * A lock that was removed by another party than its owner.
 *
 * @param lease the lease; null if it was unreadable
 * @param hash {@code sha256:} and the digest of the exact bytes that were removed
 */
public record PreviousLock(@Nullable Lease lease, String hash) {
  /** A removed lock with the digest of its bytes. */
  public static PreviousLock of(@Nullable Lease lease, byte[] bytes) {
    MessageDigest digest = sha256();
    return of(lease, digest, bytes);
  }

  /** A removed lock with a digest that has consumed its first bytes. */
  public static PreviousLock of(@Nullable Lease lease, MessageDigest digest, byte... rest) {
    return new PreviousLock(lease, "sha256:" + HexFormat.of().formatHex(digest.digest(rest)));
  }

  /** The digest of {@link #hash()}. */
  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
