package fleet.tower.platform.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The reader of the simplest YAML")
class PlainReaderTest {
  private static final SourceFile.Kind KIND = new SourceFile.Kind("a test", null, "", "");
  private static final List<String> PIECES = List.of("a", "b-c", "d.e", "k1", "true", "-", "?", ":", ": ", ":\n", "\n",
      "\n\n", " ", "  ", "    ", "\n  ", "\n    ", "# c", " # c", "x: 1", "x:", "'", "\"", "'q'", "\"q\"", "\"\\n\"",
      "[a]", "{", "}", "&n", "*n", "!t", "|", ">", "%", "@", "jdbc:postgresql://h:1/d?user=u&password=p", "8KB", "---",
      "...", "\t", "é", "\u2028", "null", "~", ",", "<<", "=", "://", "0", "1.5", "a#b", "${x}");

  private static Optional<Node> byLibrary(String text) {
    Complaints complaints = new Complaints("test");
    Optional<Node> node = NodeReader.read(text, KIND, complaints);
    return complaints.hasErrors() ? Optional.empty() : node;
  }

  @ParameterizedTest
  @ValueSource(strings = {"tower:\n  host-id: tower-01\n",
      "tower.database.url: jdbc:postgresql://db/tower?user=t&password=p\n",
      "# comment\n\ntower:\n\n  lock: # of locks\n    store: \"file\" # here\n  host-id: 'a b'\nserver:\n  port: 80",
      "a:\nb:\n  c:\n  d: 1\ne: \"\"\n", "a: x/y.z\nb: 8KB\nc: true\n"})
  @DisplayName("reads plain mappings of scalars, exactly as the library does")
  void plain(String text) {
    assertThat(PlainReader.read(text)).isPresent().isEqualTo(byLibrary(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# only a comment\n", "a: [b]\n", "a: &x b\n", "a: b\na: c\n", "a: b c\n", "a:\n- b\n",
      "a: b\n  c: d\n",
      "a:\n    b: c\n  d: e\n", "a: |\n  b\n", "--- \na: b\n", "a: b\r\nc: d\n", "a: \"x\\n\"\n", "a: b:\n", " a: b\n",
      "a: ${b}\n", "a: b\n---\nc: d\n", "a: 'b''c'\n", "\"a\": b\n", "a:b\n", "a: b#\n"})
  @DisplayName("leaves everything else to the library")
  void other(String text) {
    assertThat(PlainReader.read(text)).isEmpty();
  }

  @Test
  @DisplayName("never differs from the library: 40,000 random texts")
  void random() {
    Random random = new Random(7);
    int both = 0;
    for (int i = 0; i < 40_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(1, 9); length > 0; length--) {
        text.append(random.nextBoolean()
            ? "\n" + "  ".repeat(random.nextInt(3)) + "k" + random.nextInt(4) + ": "
            : PIECES.get(random.nextInt(PIECES.size())));
      }
      String input = text.toString().stripLeading();
      Optional<Node> plain = PlainReader.read(input);
      if (plain.isPresent()) {
        both++;
        assertThat(plain).as(input).isEqualTo(byLibrary(input));
      }
    }
    assertThat(both).isGreaterThan(2000);
  }

  @Test
  @DisplayName("reads the example file of settings, so that a home that follows it pays little for it")
  void example() throws Exception {
    String text = Files.readString(
        Path.of(System.getProperty("project.basedir", "")).resolve("config/application.example.yaml"));

    assertThat(PlainReader.read(text)).isPresent().isEqualTo(byLibrary(text));
  }
}
