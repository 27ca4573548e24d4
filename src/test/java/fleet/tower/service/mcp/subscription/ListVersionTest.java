package fleet.tower.service.mcp.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The version of a list")
class ListVersionTest {
  @Test
  @DisplayName("It changes with each change of the list, even back to an earlier list, and only then")
  void changes() {
    List<String> list = new ArrayList<>();
    ListVersion<String> version = new ListVersion<>(() -> List.copyOf(list));
    List<String> seen = new ArrayList<>(List.of(version.get(), version.get()));
    list.add("a");
    seen.addAll(List.of(version.get(), version.get()));
    list.clear();
    seen.addAll(List.of(version.get(), version.get()));

    assertThat(seen).containsExactly("0", "0", "1", "1", "2", "2");
  }
}
