package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Extent;
import fleet.tower.intent.Intent;
import fleet.tower.platform.yaml.LoadedFile;
import fleet.tower.platform.yaml.YamlSchema;

@DisplayName("A damaged file yields an intent or errors, never anything else")
class IntentFuzzTest {
  private static final long SEED = Long.getLong("fuzz.seed", 20260401);
  private static final int CASES = Extent.of(1_000, 25_000);
  private static final List<String> ODD = List.of("${", "}", "[", "{", "\"", "'", "&a ", "*a ", "!!x ", "<<: ", "\t",
      "\0", "\ufeff", ": ", "- ", "|", ">", "%", "\r", "\u2028", "null", "~", "99999999999999999999", "${params.", "\\",
      "---\n", "? ", "𝄞", "1e999");

  @TempDir
  private Path directory = Path.of("");

  @Test
  @DisplayName("Bytes, lines, indentation, odd texts: 1,000 damaged samples, each valid or reported at a position "
      + "in the file")
  void damaged() throws IOException {
    List<String> samples = new ArrayList<>();
    try (Stream<Path> files = Files.list(SampleIntentsTest.SAMPLES)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".yaml")).sorted().toList()) {
        samples.add(Files.readString(file));
      }
    }
    int good = 0;
    for (int i = 0; i < CASES; i++) {
      Random random = new Random(SEED + i);
      byte[] content = damaged(samples.get(i % samples.size()), random);
      Path file = Files.write(directory.resolve("x.yaml"), content);
      try {
        List<String> text = Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList();
        LoadedFile.Result<Intent> loaded = FileCatalogue.load(file, SCHEMA);
        good += loaded.content() == null ? 0 : 1;
        assertThat(loaded.content() == null).isEqualTo(loaded.complaints().stream().anyMatch(it -> it.isError()));
        assertThat(loaded.complaints())
            .allMatch(it -> it.position().line() >= 1 && it.position().column() >= 1 && !it.message().isBlank());
        assertThat(loaded.complaints()).allMatch(it -> it.position().line() <= text.size() * 3 + 2);
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        throw new AssertionError("seed " + (SEED + i) + ":\n" + new String(content, StandardCharsets.UTF_8), e);
      }
    }
    assertThat(good).isBetween(CASES / 50, CASES * 9 / 10);
  }

  private static final YamlSchema SCHEMA = IntentFiles.schema();

  /** Renames the intent like its file, so that some stay valid. */
  private static byte[] damaged(String sample, Random random) {
    String text = sample.replaceFirst("name: .*", "name: x");
    for (int n = random.nextInt(3); n >= 0; n--) {
      text = switch (random.nextInt(5)) {
        case 0 -> line(text, random, _ -> "");
        case 1 -> line(text, random, it -> " ".repeat(1 + random.nextInt(4)) + it);
        case 2 -> line(text, random, it -> it + "\n" + it);
        case 3 -> line(text, random, String::stripLeading);
        default -> inserted(text, ODD.get(random.nextInt(ODD.size())), random);
      };
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (random.nextInt(4) == 0 && bytes.length > 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }

  private static String inserted(String text, String odd, Random random) {
    int at = random.nextInt(text.length() + 1);
    return text.substring(0, at) + odd + text.substring(at);
  }

  private interface Change {
    String of(String line);
  }

  private static String line(String text, Random random, Change change) {
    List<String> lines = new ArrayList<>(text.lines().toList());
    if (!lines.isEmpty()) {
      int at = random.nextInt(lines.size());
      lines.set(at, change.of(lines.get(at)));
    }
    return String.join("\n", lines) + "\n";
  }
}
