package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.platform.InvalidValue;

class PlanHashTest {
  private final PlanDocument document = PlanDocument.parse("{\"b\":1,\"a\":\"x\"}");

  @Test
  @DisplayName("A hash is given in full or by its first 12 digits or more, with or without its prefix")
  void beginning() {
    String hash = document.hash();
    String digits = hash.substring("sha256:".length());

    assertThat(PlanHash.parse(hash).isOf(document)).isTrue();
    assertThat(PlanHash.parse(digits).isOf(document)).isTrue();
    assertThat(PlanHash.parse(digits.substring(0, 12)).isOf(document)).isTrue();
    assertThat(PlanHash.parse(hash.substring(0, 30)).isOf(document)).isTrue();
    assertThat(PlanHash.parse(hash).isOf(PlanDocument.parse("{\"b\":2,\"a\":\"x\"}"))).isFalse();
    assertThat(PlanHash.parse(hash).isOf(PlanDocument.parse("{\"a\": \"x\", \"b\": 1.0}"))).as("the same value")
        .isTrue();
  }

  @ParameterizedTest
  @DisplayName("Anything else is refused with advice")
  @ValueSource(strings = {"", "sha256:", "0123456789a", "sha256:0123456789a", "0123456789AB", "sha512:0123456789ab",
      " 0123456789ab", "0123456789ab\n", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0"})
  void refused(String text) {
    assertThatExceptionOfType(InvalidValue.class).isThrownBy(() -> PlanHash.parse(text))
        .withMessageContaining("copy plan_hash from the plan");
  }
}
