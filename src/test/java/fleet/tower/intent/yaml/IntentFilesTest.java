package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A file that is not an intent is reported, whatever it is")
class IntentFilesTest {
  private static final String GOOD = IntentMistakesTest.GOOD;

  @TempDir
  private Path directory = Path.of("");

  private List<String> messages(Path file) {
    return IntentFiles.examine(List.of(file)).stream()
        .map(it -> it.line() + ":" + it.column() + ": " + it.message()).toList();
  }

  private List<String> messages(byte[] content) throws IOException {
    return messages(Files.write(directory.resolve("x.yaml"), content));
  }

  static Stream<Arguments> texts() {
    return Stream.of(Arguments.of("", "1:1: is empty; an intent begins with apiVersion: tower-fleet/intent/v1"),
        Arguments.of("# nothing\n", "1:1: is empty; an intent begins with apiVersion: tower-fleet/intent/v1"),
        Arguments.of("- a\n", "1:1: must be a mapping of keys to values, one key per line"),
        Arguments.of("hello", "1:1: must be a mapping of keys to values, one key per line, not 'hello'"),
        Arguments.of("a: " + "[".repeat(50), "1:23: nested deeper than 20 levels"),
        Arguments.of("[".repeat(200_000), "1:21: nested deeper than 20 levels"),
        Arguments.of("- ".repeat(100_000), "1:41: nested deeper than 20 levels"),
        Arguments.of("a: [1, 2\nb: 3\n",
            "2:2: is not valid YAML: while parsing a flow sequence: expected ',' or ']', but got :"
                + "; quote a text that contains { } [ ] : # or ,"),
        Arguments.of("kind: a: b", "1:8: is not valid YAML: mapping values are not allowed here"
            + "; quote a text that contains { } [ ] : # or ,"),
        Arguments.of("kind:\n\tIntent", "2:1: YAML does not allow a tab here; indent with spaces"),
        Arguments.of("\ufeff" + GOOD, "1:1: begins with a byte order mark; save the file as UTF-8 without one"),
        Arguments.of(GOOD.replace("Intent", "In\0tent"), "2:9: contains the control character U+0000; remove it"),
        Arguments.of(GOOD.replace("Intent", "In\033tent"), "2:9: contains the control character U+001B; remove it"),
        Arguments.of(GOOD + "---\n" + GOOD,
            "19:1: a second document is not allowed; write each intent to its own file"),
        Arguments.of("%YAML 1.1\n---\n" + GOOD, "1:1: a %YAML directive is not supported; remove it"),
        Arguments.of(GOOD.replace("kind: Intent", "kind: Intent\nkind: Intent"),
            "3:1: duplicate key 'kind'; first used on line 2"),
        Arguments.of(GOOD.replace("version: 1.0.0", "version: !!float 1.0"),
            "5:12: a tag ('!!float') is not supported; remove it, values are read as written"),
        Arguments.of(GOOD.replace("run: [", "run: !!javax.script.ScriptEngineManager ["),
            "18:12: a tag ('!!javax.script.ScriptEngineManager') is not supported; remove it, "
                + "values are read as written"),
        Arguments.of(GOOD.replace("timeouts: {", "timeouts: { <<: { step: 1 },"),
            "15:15: a merge key (<<) is not supported; write the keys out"),
        Arguments.of(GOOD.replace("kind: Intent", "? [a]\n: b\nkind: Intent"), "2:3: a key must be a string"),
        Arguments.of(GOOD + "#" + "x".repeat(5_000_000), "1:1: is larger than 256 KiB; move long scripts into files"),
        Arguments.of("a: " + "x".repeat(10_000_000), "1:1: is larger than 256 KiB; move long scripts into files"));
  }

  @ParameterizedTest
  @MethodSource("texts")
  @DisplayName("Empty, torn, huge, deep, tagged, duplicated: one clear error, immediately")
  void texts(String text, String expected) throws IOException {
    assertThat(messages(text.getBytes(StandardCharsets.UTF_8))).containsExactly(expected);
  }

  @Test
  @DisplayName("Anchors and aliases are reported and never expanded")
  void aliases() throws IOException {
    String bomb = "a: &a [x, x]\nb: [*a, *a]\n";
    assertThat(messages(bomb.getBytes(StandardCharsets.UTF_8))).contains(
        "1:4: an anchor (&a) is not supported; repeat the value instead",
        "2:5: an alias (*) is not supported; write the value out",
        "2:9: an alias (*) is not supported; write the value out");
  }

  @Test
  @DisplayName("Invalid UTF-8 is reported where it begins")
  void notUtf8() throws IOException {
    assertThat(messages(GOOD.replace("Intent", "Int\u00e9nt").getBytes(StandardCharsets.ISO_8859_1)))
        .containsExactly("2:10: is not valid UTF-8 here; save the file as UTF-8");
    assertThat(messages(new byte[]{'a', ':', ' ', (byte) 0xe2, (byte) 0x82}))
        .containsExactly("1:4: is not valid UTF-8 here; save the file as UTF-8");
  }

  @Test
  @DisplayName("A text of 250,000 characters is read in time, however malformed")
  void large() throws IOException {
    for (String text : List.of(GOOD + "#".repeat(250_000), "a".repeat(250_000), "\"" + "\\t".repeat(120_000),
        "a:\n".repeat(80_000), "? ".repeat(120_000), "{".repeat(250_000), "'" + "\n".repeat(250_000),
        "- ${params.x}\n".repeat(17_000), "&a ".repeat(80_000), "a: |\n" + " \n".repeat(120_000),
        "\u20ac".repeat(80_000), "[" + "a,".repeat(120_000) + "]")) {
      assertThat(messages(text.getBytes(StandardCharsets.UTF_8)).size()).isLessThanOrEqualTo(100);
    }
  }

  @Test
  @DisplayName("A pipe, a directory and a link out of the directory are reported without blocking")
  void noFiles() throws Exception {
    Files.createDirectory(directory.resolve("d.yaml"));
    Path secret = Files.writeString(directory.resolveSibling("secret-" + directory.getFileName()), "top: secret");
    Files.createSymbolicLink(directory.resolve("away.yaml"), secret);
    Files.createSymbolicLink(directory.resolve("gone.yaml"), Path.of("nowhere"));
    Files.createDirectory(directory.resolve("..data"));
    Files.writeString(directory.resolve("..data/x.yaml"), GOOD);
    Files.createSymbolicLink(directory.resolve("x.yaml"), Path.of("..data/x.yaml"));
    assertThat(new ProcessBuilder("mkfifo", directory.resolve("p.yaml").toString()).start().waitFor()).isZero();

    assertThat(messages(directory.resolve("d.yaml")))
        .containsExactly("1:1: is a directory; an intent must be a regular file");
    assertThat(messages(directory.resolve("p.yaml")))
        .containsExactly("1:1: is a pipe or a device; an intent must be a regular file");
    for (String link : List.of("away.yaml", "gone.yaml")) {
      assertThat(messages(directory.resolve(link)))
          .containsExactly("1:1: is a symbolic link that leads out of the directory; put the file itself here");
    }
    assertThat(messages(directory.resolve("x.yaml"))).isEmpty();
    Files.delete(secret);
  }

  @Test
  @DisplayName("A file with another extension is not an intent")
  void ending() throws IOException {
    assertThat(messages(Files.writeString(directory.resolve("x.yml"), GOOD)))
        .containsExactly("1:1: the name of an intent file must end in .yaml; rename it");
  }
}
