package fleet.tower.intent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelsTest {
  private final Labels host = Labels.of("tower-01", List.of("db-admin", "eu-west"));

  @Test
  @DisplayName("A host satisfies labels if it has all of them; its own name is one of its labels")
  void satisfied() {
    assertThat(host.satisfy(List.of())).isTrue();
    assertThat(host.satisfy(List.of("eu-west", "db-admin", "tower-01"))).isTrue();
    assertThat(host.satisfy(List.of("db-admin", "gpu"))).isFalse();
    assertThat(host.satisfy(List.of("DB-admin"))).isFalse();
    assertThat(host.missing(List.of("gpu", "db-admin", "arm"))).containsExactly("gpu", "arm");
    assertThat(Labels.of("tower-01", List.of()).missing(List.of("tower-01", "gpu"))).containsExactly("gpu");
  }

  @Test
  @DisplayName("A setting lists labels separated by commas, in any order, with blanks and repetitions")
  void parsed() {
    assertThat(Labels.parse(" gpu, db-admin,gpu,,Host.1_a ")).contains(List.of("Host.1_a", "db-admin", "gpu"));
    assertThat(Labels.parse("")).contains(List.of());
    assertThat(Labels.parse("a".repeat(63))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"db admin", "-a", "a;b", "gpu,a/b", "é"})
  @DisplayName("A setting with an invalid label is rejected")
  void invalid(String text) {
    assertThat(Labels.parse(text)).isEmpty();
    assertThat(Labels.parse("a".repeat(64))).isEmpty();
  }

  @Test
  @DisplayName("Labels are named in a sentence")
  void described() {
    assertThat(Labels.describe(List.of("a"))).isEqualTo("label a");
    assertThat(Labels.describe(List.of("a", "b", "c"))).isEqualTo("labels a, b and c");
  }
}
