package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

@DisplayName("The workflow runs the levels of the build")
class WorkflowTest {
  private static final String PINNED = "[a-z-]+/[a-z-]+@[0-9a-f]{40}";

  private final Map<?, ?> workflow = (Map<?, ?>) Objects.requireNonNull(
      new Yaml(new SafeConstructor(new LoaderOptions())).<Object>load(read(".github/workflows/build.yml")));

  private static String read(String file) {
    try {
      return Files.readString(Tarball.BASE.resolve(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Map<?, ?> job(String name) {
    return (Map<?, ?>) Objects.requireNonNull(((Map<?, ?>) Objects.requireNonNull(workflow.get("jobs"))).get(name));
  }

  private Stream<Map<?, ?>> steps(String job) {
    return ((List<?>) Objects.requireNonNull(job(job).get("steps"))).stream().map(step -> (Map<?, ?>) step);
  }

  private List<Object> commands(String job) {
    return steps(job).filter(step -> step.containsKey("run")).<Object>map(step -> step.get("run")).toList();
  }

  @Test
  @DisplayName("What a change needs on each push, the script of a merge on the main branch, and the rest every night")
  void levels() {
    assertThat(commands("change")).containsExactly("./mvnw verify");
    assertThat(job("change").get("if")).isEqualTo("github.event_name != 'schedule'");
    assertThat(commands("merge")).containsExactly(".ci/run");
    assertThat(job("merge").get("if")).isEqualTo("github.event_name == 'push' && github.ref == 'refs/heads/main'");
    assertThat(commands("night")).endsWith("./mvnw verify -Pproofs,long", "bin/bench --check");
    assertThat(job("night").get("if")).isEqualTo("github.event_name == 'schedule'");
    assertThat(workflow.toString()).contains("schedule=[{cron=");
  }

  @Test
  @DisplayName("The script of a merge runs all proofs, and nothing after them")
  void script() {
    assertThat(read(".ci/run").lines().filter(line -> line.contains("verify")))
        .containsExactly("exec ./mvnw verify -Pproofs");
    assertThat(read(".ci/run").lines().toList()).last().isEqualTo("exec ./mvnw verify -Pproofs");
  }

  @Test
  @DisplayName("It may only read, and its actions are pinned")
  void trust() {
    assertThat(workflow.get("permissions")).isEqualTo(Map.of("contents", "read"));
    for (String job : List.of("change", "merge", "night")) {
      assertThat(steps(job).filter(step -> step.containsKey("uses")).<Object>map(step -> step.get("uses")))
          .isNotEmpty().allSatisfy(action -> assertThat(action.toString()).matches(PINNED));
    }
    assertThat("actions/checkout@v7").doesNotMatch(PINNED);
  }
}
