package fleet.tower.platform.secret;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The secret values of a run. They are masked in all forms of {@link SecretForms}; overlapping matches are masked as
 * one. This class never shows a value.
 */
public final class Secrets {
  /** The replacement of a secret. */
  public static final String MASK = "***";
  public static final Secrets NONE = new Secrets(List.of());

  private final List<String> values;
  /** Created on first use; many runs print nothing. */
  private volatile @Nullable FormFinder finder;

  private Secrets(List<String> values) {
    this.values = values;
  }

  /** The secrets with these values; empty ones are ignored. */
  public static Secrets of(Collection<String> values) {
    List<String> some = values.stream().filter(value -> !value.isEmpty()).distinct().toList();
    return some.isEmpty() ? NONE : new Secrets(some);
  }

  /** These secrets and more. */
  public Secrets and(Collection<String> more) {
    return more.isEmpty() ? this : of(Stream.concat(values.stream(), more.stream()).toList());
  }

  public boolean isEmpty() {
    return values.isEmpty();
  }

  /** The text with every secret masked. */
  public String mask(String text) {
    if (isEmpty() || text.isEmpty()) {
      return text;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream masked = new ByteArrayOutputStream(bytes.length);
    StreamMask mask = stream();
    mask.accept(bytes, 0, bytes.length, masked::write);
    mask.finish(masked::write);
    return masked.size() == bytes.length && Arrays.equals(masked.toByteArray(), bytes)
        ? text
        : masked.toString(StandardCharsets.UTF_8);
  }

  /** A mask for a stream of bytes. */
  public StreamMask stream() {
    return new StreamMask(finder());
  }

  private FormFinder finder() {
    FormFinder current = finder;
    if (current == null) {
      current = isEmpty() ? FormFinder.EMPTY : new FormFinder(SecretForms.of(values));
      finder = current;
    }
    return current;
  }

  @Override
  public String toString() {
    return values.size() + " secrets";
  }
}
