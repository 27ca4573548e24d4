package fleet.tower.platform.secret;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of a home, or of a fleet. It makes digests of secrets, which show whether two are equal; whoever does not
 * have the key cannot find a secret by trying.
 */
public interface HomeKey {
  /**
   * The bytes of the key, the same for all processes of the home and all hosts of the fleet. The first use creates it.
   *
   * @throws fleet.tower.platform.StorageException if it cannot be read or created
   */
  byte[] bytes();

  /** The digest of a secret under a name; the same secret under another name has another one. */
  default String digest(String name, String secret) {
    String algorithm = "HmacSHA256";
    try {
      Mac mac = Mac.getInstance(algorithm);
      mac.init(new SecretKeySpec(bytes(), algorithm));
      mac.update(name.getBytes(StandardCharsets.UTF_8));
      mac.update((byte) 0);
      return "hmac:" + HexFormat.of().formatHex(mac.doFinal(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
