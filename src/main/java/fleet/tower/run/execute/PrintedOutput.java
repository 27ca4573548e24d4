package fleet.tower.run.execute;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.OutputRule;

/** The beginning of what a step prints, as long as it takes to check its form. */
final class PrintedOutput {
  private final @Nullable OutputRule rule;
  /** Its bytes, each as a character. */
  private final StringBuilder bytes = new StringBuilder();

  /** @param rule the form that it must have; null for any */
  PrintedOutput(@Nullable OutputRule rule) {
    this.rule = rule;
  }

  void add(byte[] printed, int offset, int length) {
    if (rule != null) {
      int room = rule.maxBytes() + 1 - bytes.length();
      bytes.append(new String(printed, offset, Math.min(length, room), StandardCharsets.ISO_8859_1));
    }
  }

  /** Why it does not have its form; null if it has. */
  @Nullable
  String problem() {
    return rule == null
        ? null
        : rule.problem(bytes.toString().getBytes(StandardCharsets.ISO_8859_1)).orElse(null);
  }
}
