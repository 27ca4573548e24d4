package fleet.tower.secret;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The secret values of one run. */
public final class Secrets {
  /** What is shown instead. */
  public static final String MASK = "***";
  public static final Secrets NONE = new Secrets(List.of());

  private final List<String> forms;

  private Secrets(List<String> forms) {
    this.forms = List.copyOf(forms);
  }

  /** Masks these values. */
  public static Secrets of(Collection<String> values) {
    List<String> forms = new ArrayList<>(values.stream().filter(value -> !value.isEmpty()).distinct().toList());
    forms.sort(Comparator.comparingInt(String::length).reversed());
    return forms.isEmpty() ? NONE : new Secrets(forms);
  }

  public boolean isEmpty() {
    return forms.isEmpty();
  }

  /** A text with every secret in it masked. */
  public String mask(String text) {
    String masked = text;
    for (String form : forms) {
      masked = masked.replace(form, MASK);
    }
    return masked;
  }
}
