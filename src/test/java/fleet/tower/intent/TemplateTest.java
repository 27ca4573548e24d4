package fleet.tower.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A template is parsed once and resolved once")
class TemplateTest {
  private static final long SEED = Long.getLong("fuzz.seed", 20260403);

  private static String resolved(String source) throws Template.Malformed {
    return Template.parse(source).resolve(variable -> "<" + variable.written() + ">");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"'' | ''", "plain | plain", "${params.app} | <params.app>",
      "a${params.x}b${params.y} | a<params.x>b<params.y>", "${params.a}${params.a} | <params.a><params.a>",
      "${request.id} ${request.actor} | <request.id> <request.actor>",
      "${intent.name} ${intent.version} ${lock.token} | <intent.name> <intent.version> <lock.token>",
      "$${params.x} | ${params.x}", "$$${params.x} | $${params.x}", "$ $$ {} $x $(id) `id` | $ $$ {} $x $(id) `id`",
      "$${ | ${", "a$ | a$", "${params.x}} | <params.x>}"})
  @DisplayName("TF-2.1 TF-A36 a reference yields its value, $${ a literal, and everything else itself")
  void resolves(String source, String expected) throws Template.Malformed {
    assertThat(resolved(source)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"ab${params.x | 2 | ${ without }; write $${ for a literal ${",
      "${params.${params.x}} | 0 | a reference inside a reference is not supported",
      "x${} | 1 | unknown reference ${}; use ${params.NAME}, ${request.id}, ${request.actor}, "
          + "${intent.name}, ${intent.version} or ${lock.token}",
      "${params.} | 0 | unknown reference ${params.}; use ${params.NAME}, ${request.id}, ${request.actor}, "
          + "${intent.name}, ${intent.version} or ${lock.token}",
      "${PATH} | 0 | unknown reference ${PATH}; use ${params.NAME}, ${request.id}, ${request.actor}, "
          + "${intent.name}, ${intent.version} or ${lock.token}"})
  @DisplayName("TF-A36 a malformed template is rejected at the position of the mistake")
  void refuses(String source, int offset, String message) {
    assertThatThrownBy(() -> Template.parse(source)).isInstanceOfSatisfying(Template.Malformed.class,
        e -> assertThat(e.offset()).isEqualTo(offset)).hasMessage(message);
  }

  @Test
  @DisplayName("TF-A36 a value that looks like a template is never resolved again, in 20,000 templates")
  void valuesAreNeverLookedAt() throws Template.Malformed {
    List<String> pieces = List.of("a", "$", "{", "}", "${params.a}", "${params.b}", "$${", "-", "${lock.token}");
    List<String> values = List.of("${params.b}", "$${", "${", "}", "$", "${lock.token}", "x");
    for (int i = 0; i < 20_000; i++) {
      Random random = new Random(SEED + i);
      String value = values.get(random.nextInt(values.size()));
      List<String> parts = new ArrayList<>();
      StringBuilder expected = new StringBuilder();
      for (int n = random.nextInt(6); n >= 0; n--) {
        String piece = pieces.get(random.nextInt(pieces.size()));
        // Pieces that would form another reference together are separated.
        parts.add(piece + "|");
        expected.append(piece.startsWith("${") ? value : piece.equals("$${") ? "${" : piece).append('|');
      }
      assertThat(Template.parse(String.join("", parts)).resolve(_ -> value)).as("seed %d", SEED + i)
          .isEqualTo(expected.toString());
    }
  }
}
