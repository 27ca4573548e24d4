package fleet.tower.platform.list;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

import fleet.tower.platform.InvalidValue;

/**
 * The place of a row in a list: the values by which the list is sorted, which never change while the row exists. The
 * next page begins after it, so rows that come and go meanwhile shift no other row.
 *
 * <p>Its text begins with a digest of the list, its filters and the place. A cursor of another list, with other
 * filters, or changed on its way is refused. It gives no right: every page is filtered by its own request.
 */
public record Cursor(List<String> keys) {
  /** The parameter and the argument that continue a list. */
  public static final String PARAMETER = "cursor";

  private static final int DIGEST_BYTES = 8;
  private static final int MAX_LENGTH = 512;
  private static final String SEPARATOR = "\n";

  public Cursor {
    keys = List.copyOf(keys);
  }

  /** The place of a row with these sort keys. */
  public static Cursor of(Object... keys) {
    return new Cursor(Arrays.stream(keys).map(Object::toString).toList());
  }

  /**
   * Reads a text that {@link #text} wrote for the same list.
   *
   * @throws InvalidValue if it is anything else
   */
  public static Cursor parse(String text, String list) {
    byte[] bytes = decoded(text);
    if (bytes.length < DIGEST_BYTES) {
      throw invalid();
    }
    byte[] place = Arrays.copyOfRange(bytes, DIGEST_BYTES, bytes.length);
    if (!MessageDigest.isEqual(digest(list, place), Arrays.copyOf(bytes, DIGEST_BYTES))) {
      throw invalid();
    }
    return new Cursor(List.of(new String(place, StandardCharsets.UTF_8).split(SEPARATOR, -1)));
  }

  private static byte[] decoded(String text) {
    try {
      return text.length() > MAX_LENGTH ? new byte[0] : Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  /** The opaque text for a list, whose name contains its filters. */
  public String text(String list) {
    byte[] place = String.join(SEPARATOR, keys).getBytes(StandardCharsets.UTF_8);
    byte[] bytes = Arrays.copyOf(digest(list, place), DIGEST_BYTES + place.length);
    System.arraycopy(place, 0, bytes, DIGEST_BYTES, place.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** A sort key that is a text. */
  public String key(int index) {
    if (index >= keys.size()) {
      throw invalid();
    }
    return keys.get(index);
  }

  /** A sort key that is a number. */
  public long number(int index) {
    String key = key(index);
    if (!key.matches("-?\\d{1,18}")) {
      throw invalid();
    }
    return Long.parseLong(key);
  }

  /** The refusal of a cursor from which no page can begin. */
  public static InvalidValue invalid() {
    return new InvalidValue(InvalidValue.Kind.REQUEST, "the cursor does not continue this list; use 'next' of the"
        + " previous page with the same filters, or omit 'cursor' to start again");
  }

  private static byte[] digest(String list, byte[] place) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update((list + SEPARATOR).getBytes(StandardCharsets.UTF_8));
      return Arrays.copyOf(sha256.digest(place), DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
