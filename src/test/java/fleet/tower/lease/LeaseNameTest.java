package fleet.tower.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.platform.InvalidValue;

@DisplayName("A lock name is safe as a file name, and a rejection suggests a valid name")
class LeaseNameTest {
  private static final String OUTSIDE = " has a character outside a-z 0-9 - _";
  private static final String ENDS = " must begin and end with a letter or digit";

  static Stream<String> valid() {
    return Stream.of("a", "7", "a-b", "a__b", "0", "a-_-b", "money-tracker-production", "a".repeat(128),
        "a" + "-".repeat(126) + "b");
  }

  @ParameterizedTest
  @MethodSource("valid")
  @DisplayName("LK-14 TF-2.1 TF-2.2 TF-2.3 valid names")
  void takes(String name) {
    assertThat(LeaseName.isValid(name)).isTrue();
    assertThat(new LeaseName(name)).hasToString(name);
  }

  static Stream<Arguments> invalid() {
    return Stream.of(Arguments.of("", "'' is empty; give 1 to 128 of a-z 0-9 - _"),
        Arguments.of("a".repeat(129), "'" + "a".repeat(40) + "…' is 129 characters long; at most 128 are allowed; did "
            + "you mean '" + "a".repeat(128) + "'?"),
        Arguments.of("A", "'A' has an upper-case letter; did you mean 'a'?"),
        Arguments.of("Prod", "'Prod' has an upper-case letter; did you mean 'prod'?"),
        Arguments.of("-a", "'-a'" + ENDS + "; did you mean 'a'?"),
        Arguments.of("-production", "'-production'" + ENDS + "; did you mean 'production'?"),
        Arguments.of("a-", "'a-'" + ENDS + "; did you mean 'a'?"),
        Arguments.of("_a", "'_a'" + ENDS + "; did you mean 'a'?"),
        Arguments.of("a_", "'a_'" + ENDS + "; did you mean 'a'?"), Arguments.of("-", "'-'" + ENDS),
        Arguments.of("a b", "'a b'" + OUTSIDE + "; did you mean 'a-b'?"),
        Arguments.of("a/b", "'a/b'" + OUTSIDE + "; did you mean 'a-b'?"), Arguments.of("..", "'..'" + OUTSIDE),
        Arguments.of("../../x", "'../../x'" + OUTSIDE),
        Arguments.of("a.b", "'a.b'" + OUTSIDE + "; did you mean 'a-b'?"),
        Arguments.of(".guard", "'.guard'" + OUTSIDE + "; did you mean 'guard'?"),
        Arguments.of("prod.lock", "'prod.lock'" + OUTSIDE + "; did you mean 'prod-lock'?"),
        Arguments.of("\u00e9", "'\u00e9'" + OUTSIDE),
        Arguments.of("a\n", "'a\\u000a'" + OUTSIDE + "; did you mean 'a'?"),
        Arguments.of("prod\n", "'prod\\u000a'" + OUTSIDE + "; did you mean 'prod'?"),
        Arguments.of("\na", "'\\u000aa'" + OUTSIDE + "; did you mean 'a'?"),
        Arguments.of("a\u0000", "'a\\u0000'" + OUTSIDE + "; did you mean 'a'?"),
        Arguments.of("\uff50\uff52\uff4f\uff44", "'\uff50\uff52\uff4f\uff44'" + OUTSIDE),
        Arguments.of("a\u2028b", "'a\\u2028b'" + OUTSIDE + "; did you mean 'a-b'?"),
        Arguments.of("\u0661", "'\u0661'" + OUTSIDE), Arguments.of("\ud83d\ude00", "'\ud83d\ude00'" + OUTSIDE),
        Arguments.of("${params.app}", "'${params.app}'" + OUTSIDE + "; did you mean 'params-app'?"),
        Arguments.of("$(id)", "'$(id)'" + OUTSIDE));
  }

  @ParameterizedTest
  @MethodSource("invalid")
  @DisplayName("TF-2.2 TF-2.3 TF-2.4 TF-2.5 TF-2.6 TF-2.7 TF-A32 rejected names, with the message and the suggestion")
  void refuses(String name, String message) {
    assertThat(LeaseName.isValid(name)).isFalse();
    assertThatThrownBy(() -> new LeaseName(name)).hasMessage("lock name " + message)
        .isInstanceOfSatisfying(InvalidValue.class, e -> {
          assertThat(e.kind()).isEqualTo(InvalidValue.Kind.LOCK_NAME);
          assertThat(e.problem()).isEqualTo(e.getMessage());
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"req_abc123def456", "a", "0", "A.b_c:d-e", "9f8e"})
  @DisplayName("TF-A16 valid request ids")
  void takesRequestIds(String id) {
    assertThat(new RequestId(id)).hasToString(id);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../x", "a/b", "a\n", "\na", ".a", "-a", "_a", ":a", "a b", "\u00e9", "a\u0000"})
  @DisplayName("TF-A16 TF-12.3 invalid request ids")
  void refusesRequestIds(String id) {
    assertThat(RequestId.isValid(id)).isFalse();
    assertThatThrownBy(() -> new RequestId(id)).isInstanceOf(InvalidValue.class)
        .hasMessageMatching("request id '[^\\n]*' is not 1 to 128 of A-Z a-z 0-9 \\. _ : - beginning with a letter or "
            + "digit");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 128, 129, 10240})
  @DisplayName("TF-A16 a request id has at most 128 characters, and a rejected one is shortened in the message")
  void limitsRequestIds(int length) {
    String id = "x".repeat(length);
    assertThat(RequestId.isValid(id)).isEqualTo(length <= 128);
    if (length > 128) {
      assertThatThrownBy(() -> new RequestId(id)).hasMessageContaining("'" + "x".repeat(40) + "…'");
    }
  }
}
