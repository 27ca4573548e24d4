package fleet.tower.platform.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A secret is masked")
class SecretsTest {
  private static final int CASES = 3000;

  @ParameterizedTest
  @CsvSource({"abc, xabcx, x***x", "abc, abcabc, ******", "a, banana, b***n***n***", "abc, ab, ab", "ü€, xü€y, x***y",
      "abc, aabcc, a***c"})
  @DisplayName("As it is, at each occurrence, however short")
  void masksItself(String secret, String text, String masked) {
    assertThat(Secrets.of(List.of(secret)).mask(text)).isEqualTo(masked);
  }

  @Test
  @DisplayName("Overlapping secrets, and secrets that are prefixes of others, are masked completely")
  void masksOverlaps() {
    assertThat(Secrets.of(List.of("abcd", "cdef")).mask("xabcdefx")).isEqualTo("x***x");
    assertThat(Secrets.of(List.of("abc", "abcdef", "bcd")).mask("xabcdefx abcdx abcx")).isEqualTo("x***x ***x ***x");
    assertThat(Secrets.of(List.of("aa")).mask("aaaaab")).isEqualTo("***b");
  }

  @Test
  @DisplayName("Without secrets nothing changes, not even bytes that are not text")
  void masksNothing() {
    assertThat(Secrets.NONE.mask("a\ud800b")).isEqualTo("a\ud800b");
    assertThat(Secrets.of(List.of("")).isEmpty()).isTrue();
    assertThat(Secrets.of(List.of("none")).mask("a\ud800b")).isEqualTo("a\ud800b");
    assertThat(Secrets.of(List.of("hidden")).toString()).doesNotContain("hidden");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hunter22", "p@ss w/rd+1", "quo'te\"d\\x", "ünï€çode", "0123456789abcdef0123456789abcdef",
      "a?b&c=d~e.f_g-h", "<tag>&amp;", "two\nlines of it", "dollar$`back`"})
  @DisplayName("In each form in which programs print it")
  void masksForms(String secret) {
    Secrets secrets = Secrets.of(List.of(secret));
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    String url = URLEncoder.encode(secret, StandardCharsets.UTF_8);
    for (String form : List.of(secret, Base64.getEncoder().encodeToString(bytes),
        Base64.getEncoder().withoutPadding().encodeToString(bytes), Base64.getUrlEncoder().encodeToString(bytes), url,
        url.replace("+", "%20"), HexFormat.of().formatHex(bytes), HexFormat.of().withUpperCase().formatHex(bytes),
        HexFormat.ofDelimiter("%").withPrefix("").formatHex(bytes).replaceAll("^", "%"),
        secret.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"), secret.replace("'", "'\\''"))) {
      assertThat(secrets.mask("<" + form + ">")).as(form).isEqualTo("<***>");
    }
  }

  @Test
  @DisplayName("In base64 of longer data, at any position")
  void masksInsideBase64() {
    String secret = "correct-horse-battery";
    Secrets secrets = Secrets.of(List.of(secret));
    for (String before : List.of("", "u", "us", "use", "user:")) {
      for (String after : List.of("", "x", "xy", "xyz")) {
        byte[] all = (before + secret + after).getBytes(StandardCharsets.UTF_8);
        String masked = secrets.mask(Base64.getEncoder().encodeToString(all));
        // On each side at most one character contains bits of both the secret and its neighbour.
        assertThat(masked).contains("***");
        assertThat(masked.replaceFirst("\\*\\*\\*.*", "").length()).isLessThanOrEqualTo(before.length() * 8 / 6 + 1);
        assertThat(masked.replaceFirst(".*\\*\\*\\*", "").length()).isLessThanOrEqualTo(7);
      }
    }
  }

  @Test
  @DisplayName("Line by line if it has several, and without a trailing newline")
  void masksLines() {
    Secrets secrets = Secrets.of(List.of("-----BEGIN-----\nMIIEvQIBADANBg\nshort\n", "pw\n"));

    assertThat(secrets.mask("+ echo MIIEvQIBADANBg")).isEqualTo("+ echo ***");
    assertThat(secrets.mask("short pw")).isEqualTo("short ***");
  }

  @Test
  @DisplayName("The output does not depend on how the bytes are split, and nothing is held back unnecessarily")
  void doesNotDependOnCuts() {
    Random random = new Random(7);
    for (int i = 0; i < CASES; i++) {
      List<String> values = values(random);
      byte[] text = text(random, values);
      Secrets secrets = Secrets.of(values);
      byte[] whole = masked(secrets, text, text.length, new Random(0));
      assertThat(masked(secrets, text, 1, random)).as("case %s: %s", i, values).isEqualTo(whole);
      assertThat(masked(secrets, text, 5, random)).as("case %s: %s", i, values).isEqualTo(whole);
    }
  }

  @Test
  @DisplayName("No form of any value remains, and everything else does")
  void leavesNothing() {
    Random random = new Random(11);
    for (int i = 0; i < CASES; i++) {
      List<String> values = values(random);
      byte[] text = text(random, values);
      String masked = new String(masked(Secrets.of(values), text, 3, random), StandardCharsets.UTF_8);
      for (byte[] form : SecretForms.of(values)) {
        assertThat(masked).as("case %s: %s", i, values).doesNotContain(new String(form, StandardCharsets.UTF_8));
      }
      assertThat(masked).isEqualTo(byBruteForce(new String(text, StandardCharsets.UTF_8), values));
    }
  }

  /** A reference implementation that marks each character of each occurrence. */
  private static String byBruteForce(String text, List<String> values) {
    List<int[]> found = new ArrayList<>();
    for (byte[] form : SecretForms.of(values)) {
      String it = new String(form, StandardCharsets.UTF_8);
      for (int at = text.indexOf(it); at >= 0; at = text.indexOf(it, at + 1)) {
        found.add(new int[]{at, at + it.length()});
      }
    }
    found.sort(java.util.Comparator.comparingInt(it -> it[0]));
    StringBuilder masked = new StringBuilder();
    int shown = 0;
    for (int i = 0; i < found.size();) {
      int begin = found.get(i)[0];
      int end = found.get(i)[1];
      for (i++; i < found.size() && found.get(i)[0] < end; i++) {
        end = Math.max(end, found.get(i)[1]);
      }
      masked.append(text, shown, begin).append("***");
      shown = end;
    }
    return masked.append(text.substring(shown)).toString();
  }

  private static List<String> values(Random random) {
    List<String> values = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      values.add(random.nextInt(4) == 0
          ? letters(random, 1 + random.nextInt(20)).repeat(1 + random.nextInt(8)) + letters(random, random.nextInt(8))
          : letters(random, 1 + random.nextInt(12)));
    }
    return values;
  }

  private static String letters(Random random, int length) {
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < length; i++) {
      letters.append("aab/\"'".charAt(random.nextInt(6)));
    }
    return letters.toString();
  }

  private static byte[] text(Random random, List<String> values) {
    List<byte[]> forms = new ArrayList<>(SecretForms.of(values));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int i = random.nextInt(8); i >= 0; i--) {
      text.writeBytes(letters(random, random.nextInt(6)).getBytes(StandardCharsets.UTF_8));
      byte[] form = forms.get(random.nextInt(forms.size()));
      text.write(form, 0, random.nextInt(4) == 0 ? random.nextInt(form.length) : form.length);
    }
    return text.toByteArray();
  }

  private static byte[] masked(Secrets secrets, byte[] text, int most, Random random) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StreamMask mask = secrets.stream();
    for (int at = 0; at < text.length;) {
      int length = Math.min(text.length - at, 1 + random.nextInt(most));
      mask.accept(text, at, most == text.length ? text.length - at : length, out::write);
      at += most == text.length ? text.length : length;
    }
    mask.finish(out::write);
    return out.toByteArray();
  }

  @Test
  @DisplayName("Long secrets whose prefix recurs in and before them")
  void masksPeriodic() {
    String secret = "-".repeat(100) + "KEY" + "-".repeat(50) + "KEY" + "-".repeat(50) + "END";
    Secrets secrets = Secrets.of(List.of(secret));
    assertThat(secrets.mask("-".repeat(30) + secret + "-".repeat(120) + secret + "x"))
        .isEqualTo("-".repeat(30) + "***" + "-".repeat(120) + "***x");
    assertThat(secrets.mask(secret.substring(0, 153) + secret)).isEqualTo(secret.substring(0, 153) + "***");
    assertThat(secrets.mask(secret.substring(0, 206))).isEqualTo(secret.substring(0, 206));
  }

  @Test
  @DisplayName("A long secret of many lines with the same prefix takes little more memory than its forms")
  void manyLines() {
    Random random = new Random(3);
    StringBuilder config = new StringBuilder();
    while (config.length() < 16_000) {
      config.append("            certificate: '").append(letters(random, 40)).append("'\n");
    }
    long before = used();
    Secrets secrets = Secrets.of(List.of(config.toString()));
    String line = config.substring(0, config.indexOf("\n"));
    assertThat(secrets.mask("x" + line + "y" + config.toString().replace("\n", "\\n") + "z"))
        .startsWith("x***y***").endsWith("z").doesNotContain("certificate");
    assertThat(used() - before).isLessThan(16 << 20);
    assertThat(secrets.mask(line)).isEqualTo("***");
  }

  private static long used() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  @DisplayName("A line is emitted at once; only a prefix of a secret waits for the following bytes")
  void holdsBackLittle() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StreamMask mask = Secrets.of(List.of("secret")).stream();
    for (String piece : List.of("a line\n", "sec", "ond\n", "secr")) {
      byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
      mask.accept(bytes, 0, bytes.length, out::write);
    }
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a line\nsecond\n");
    mask.finish(out::write);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a line\nsecond\nsecr");
  }
}
