package fleet.tower.platform.secret;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The secret values of one run. They are masked as they are and in the forms that programs print them in; which these are,
 * {@link SecretForms} says. Where two overlap, both are masked together. A value is never shown by this class.
 */
public final class Secrets {
  /** What is shown instead. */
  public static final String MASK = "***";
  public static final Secrets NONE = new Secrets(List.of());

  private final List<String> values;
  /** Made when something is masked for the first time; many runs print nothing. */
  private volatile @Nullable FormFinder finder;

  private Secrets(List<String> values) {
    this.values = values;
  }

  /** Masks these values. */
  public static Secrets of(Collection<String> values) {
    List<String> some = values.stream().filter(value -> !value.isEmpty()).distinct().toList();
    return some.isEmpty() ? NONE : new Secrets(some);
  }

  public boolean isEmpty() {
    return values.isEmpty();
  }

  /** A text with every secret in it masked. */
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

  /** Masks bytes that come one after the other. */
  public StreamMask stream() {
    return new StreamMask(finder());
  }

  private FormFinder finder() {
    FormFinder made = finder;
    if (made == null) {
      made = isEmpty() ? FormFinder.EMPTY : new FormFinder(SecretForms.of(values));
      finder = made;
    }
    return made;
  }

  @Override
  public String toString() {
    return values.size() + " secrets";
  }
}
