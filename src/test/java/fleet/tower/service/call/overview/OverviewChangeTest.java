package fleet.tower.service.call.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

@DisplayName("Differences of the overview")
class OverviewChangeTest {
  private static final Instant AT = Instant.parse("2026-01-31T08:00:00Z");

  private static OverviewState state(Map<String, Map<String, String>> sections, String... truncated) {
    return new OverviewState(AT, sections, Set.of(truncated), Map.of());
  }

  @Test
  @DisplayName("A change has the whole new and changed rows, and the keys of removed ones")
  void change() {
    OverviewState before = state(Map.of("locks", new LinkedHashMap<>(Map.of("a", "{\"n\":1}", "b", "{}", "c", "{}")),
        "tasks", Map.of("t", "{}")));
    OverviewState after = state(Map.of("locks", new LinkedHashMap<>(Map.of("a", "{\"n\":2}", "b", "{}")),
        "tasks", Map.of("t", "{}")), "locks");

    assertThat(OverviewChange.between(before, after).json(after).end()).isEqualTo("""
        {"as_of":"2026-01-31T08:00:00Z","set":{"locks":{"a":{"n":2}}},"removed":{"locks":["c"]},\
        "truncated":["locks"]}""");
    assertThat(OverviewChange.between(after, state(after.sections())).json(after).end()).isEqualTo("""
        {"as_of":"2026-01-31T08:00:00Z","set":{},"removed":{},"truncated":[]}""");
    assertThat(OverviewChange.between(after, after).isEmpty()).isTrue();
  }

  @Test
  @DisplayName("Changes applied to the first of 500 random states give each next one")
  void sequence() {
    Random random = new Random(18);
    OverviewState last = state(random(random));
    OverviewReducer client = new OverviewReducer();
    client.apply("overview", last.json("h", "1").end());
    for (int i = 0; i < 500; i++) {
      OverviewState next = state(random(random), random.nextInt(3) == 0 ? new String[]{"a"} : new String[0]);
      client.apply("change", OverviewChange.between(last, next).json(next).end());

      assertThat(client.sections()).isEqualTo(
          OverviewReducer.sections(JsonMapper.shared().readTree(next.json("h", "1").end())));
      assertThat(client.truncated()).isEqualTo(next.truncated().isEmpty() ? "" : "[\"a\"]");
      last = next;
    }
  }

  private static Map<String, Map<String, String>> random(Random random) {
    Map<String, Map<String, String>> sections = new LinkedHashMap<>();
    for (String section : List.of("a", "b", "c")) {
      Map<String, String> rows = new LinkedHashMap<>();
      List<String> keys = new ArrayList<>(List.of("x", "y", "z", "\" ü\n", ""));
      for (int i = random.nextInt(6); i > 0; i--) {
        rows.put(keys.remove(random.nextInt(keys.size())), "{\"n\":" + random.nextInt(3) + "}");
      }
      sections.put(section, rows);
    }
    return sections;
  }
}
