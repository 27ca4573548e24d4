package fleet.tower.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConsoleTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Console console = new Console(stream(out), stream(err));

  private static PrintStream stream(OutputStream to) {
    return new PrintStream(to, false, StandardCharsets.UTF_8);
  }

  @Test
  @DisplayName("Data goes to stdout and messages to stderr, at once and in UTF-8")
  void streams() {
    console.data("Jürgen 日本 🔒");
    console.words("a word");

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("Jürgen 日本 🔒" + System.lineSeparator());
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("a word" + System.lineSeparator());
    assertThat(console.isClosed()).isFalse();
  }

  @Test
  @DisplayName("A control character is made visible: line break, escape, C1, text direction marks")
  void controls() {
    console.data("a\nb\r\t\u001b[2J\u007f\u009b2J\u202e\u2066\u2028c");

    assertThat(out.toString(StandardCharsets.UTF_8).strip())
        .isEqualTo("a\\nb\\x0d\\x09\\x1b[2J\\x7f\\x9b2J\\u202e\\u2066\\u2028c");
  }

  @Test
  @DisplayName("An invisible character is made visible: zero width, soft hyphen, tags")
  void invisible() {
    console.data("a\u200bb\u00adc" + Character.toString(0xe0041));
    console.json("{\"a\":\"\u200b" + Character.toString(0xe0041) + "\"}");

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("a\\u200bb\\xadc\\udb40\\udc41\n{\"a\":\"\\u200b\\udb40\\udc41\"}\n");
  }

  @Test
  @DisplayName("On a terminal with colours, the states in a table are coloured, and nothing else is")
  void colours() {
    Console coloured = new Console(stream(out), stream(err), true, true);
    coloured.data("warn  database  it is stale");
    coloured.data("prod  active,frozen  ann");
    coloured.data("r1  deploy  failed");
    coloured.data("failed-job  ok  a\u001b[31m failed b");
    coloured.json("{\"state\":\"stale\"}");
    console.data("prod  stale  ann");

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
        \u001b[33mwarn\u001b[0m  database  it is stale
        prod  active,\u001b[33mfrozen\u001b[0m  ann
        r1  deploy  \u001b[31mfailed\u001b[0m
        failed-job  ok  a\\x1b[31m failed b
        {"state":"stale"}
        prod  stale  ann
        """);
  }

  @Test
  @DisplayName("In JSON they are escaped, and line breaks between values become spaces")
  void json() {
    console.json("{\n\t\"a\": \"x\u009b\u202ey\"\r\n}");

    assertThat(out.toString(StandardCharsets.UTF_8).strip()).isEqualTo("{  \"a\": \"x\\u009b\\u202ey\"  }");
  }

  @Test
  @DisplayName("A write that fails is remembered with its reason, but not that the reader has left")
  void writeFailure() {
    assertThat(console.writeFailure()).isEmpty();
    for (String reason : new String[]{"No space left on device", "Broken pipe"}) {
      Console broken = Console.of(new OutputStream() {
        @Override
        public void write(int b) throws IOException {
          throw new IOException(reason);
        }
      }, err);
      broken.data("x");
      assertThat(broken.writeFailure()).isEqualTo(Optional.of(reason).filter(it -> it.startsWith("No")));
    }
  }

  @Test
  @DisplayName("A closed reader is detected")
  void closed() {
    Console broken = new Console(stream(new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException("Broken pipe");
      }
    }), stream(err));
    broken.data("x");
    assertThat(broken.isClosed()).isTrue();
  }
}
