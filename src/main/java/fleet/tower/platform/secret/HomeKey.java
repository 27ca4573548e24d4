package fleet.tower.platform.secret;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.function.Supplier;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;

/**
 * The key of a home, or of a fleet. It makes digests of secrets, which show whether two are equal; whoever does not
 * have the key cannot find a secret by trying.
 */
public final class HomeKey {
  private final Supplier<String> source;
  private @Nullable String read;

  /**
   * @param source reads the key, the same for all processes of the home and all hosts of the fleet; creates it if it
   *     does not exist. It is called once, at the first use, or again if it throws
   */
  public HomeKey(Supplier<String> source) {
    this.source = source;
  }

  private synchronized byte[] bytes() {
    String key = read == null ? source.get() : read;
    read = key;
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * The digest of a secret under a name; the same secret under another name has another one.
   *
   * @throws fleet.tower.platform.StorageException if the key cannot be read or created
   */
  public String digest(String name, String secret) {
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
