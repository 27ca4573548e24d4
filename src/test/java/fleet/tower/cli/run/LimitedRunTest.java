package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

@DisplayName("tower run, with steps that declare limits and the form of their output")
class LimitedRunTest {
  @TempDir
  Path directory;

  private TestHome home;

  @BeforeEach
  void create() throws Exception {
    home = new TestHome(directory.resolve("home"));
  }

  private void intent(String spec) {
    TestService.declare(home.root(), "count", "mode: mutate\ncontrols: { lock: count }\n" + spec);
  }

  private Outcome run(String... words) {
    return home.run(words);
  }

  private static String stable(String words) {
    return words.replaceAll("req_[0-9a-f]{24}", "REQ").replaceAll("\\d+\\.\\d+s", "TIME");
  }

  @Test
  @DisplayName("A step that exceeds a limit fails and says which; it and the run are rolled back within the same limits")
  void exceeded() throws Exception {
    intent("""
        limits: { file_size: 4KB, open_files: 64, escalate: false }
        steps:
          - name: write
            run: [dd, if=/dev/zero, of=big, bs=1024, count=9]
            limits: { open_files: 32 }
            rollback: { script: "grep NoNewPrivs /proc/self/status; ulimit -n -f" }
        rollback:
          - name: last
            script: "grep NoNewPrivs /proc/self/status; ulimit -n -f"
            limits: { file_size: 8KB }
        """);

    Outcome outcome = run("run", "count");

    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(stable(outcome.err())).contains(
        "tower: step write failed, a process wrote a larger file than its limit of 4096 bytes, after TIME");
    assertThat(outcome.out().replaceAll(" {2,}", " ")).contains(
        "NoNewPrivs:\t1\nopen files (-n) 32\nfile size (blocks, -f) 4\n",
        "NoNewPrivs:\t1\nopen files (-n) 64\nfile size (blocks, -f) 8\n");
    assertThat(home.root().resolve("big")).hasSize(4096);
  }

  @Test
  @DisplayName("A script whose process used too much processor time says so, too")
  void processorTime() throws Exception {
    intent("""
        steps:
          - { name: burn, script: "bash -c 'while :; do :; done'; echo never", limits: { cpu: 1s } }
        """);

    assertThat(stable(run("run", "count").err())).contains(
        "tower: step burn failed, a process used more processor time than its limit of 1s, after TIME");
  }

  @Test
  @DisplayName("Output in another form fails the step; a secret in the line that is shown is masked")
  void output() throws Exception {
    intent("""
        params: { key: { type: string, secret: true } }
        steps:
          - name: list
            script: echo one; echo "2 $PARAM_KEY"; echo three 3
            output: { lines: "[a-z]+" }
            rollback: [echo, undone]
        """);

    Outcome outcome = run("run", "count", "-p", "key=hush-hush");

    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(stable(outcome.err())).contains("tower: step list failed, line 2 of its output does not match [a-z]+: "
        + "'2 ***', after TIME").doesNotContain("hush");
    assertThat(outcome.out()).contains("undone\n");
  }

  @Test
  @DisplayName("A document that breaks the schema of the step fails it, says where and how, and rolls it back")
  void schema() throws Exception {
    String spec = """
        params: { count: { type: string, default: '"many"' } }
        steps:
          - name: list
            script: 'printf "{\\n  \\"count\\": %s }" "$PARAM_COUNT"'
            output: { schema: { type: object, required: [count], properties: { count: { type: integer } } } }
            rollback: [echo, undone]
        """;
    intent(spec);

    Outcome outcome = run("run", "count");

    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(stable(outcome.err())).contains("tower: step list failed, its output does not match its schema at line "
        + "2, column 12: must be integer, not \"many\", after TIME");
    assertThat(outcome.out()).contains("undone\n");
    assertThat(run("run", "count", "-p", "count=3").exit()).isZero();
    assertThat(run("plan", "count").out()).contains("          output schema={\"properties\":{\"count\":{\"type\":"
        + "\"integer\"}},\"required\":[\"count\"],\"type\":\"object\"} max_bytes=65536\n");
  }

  @Test
  @DisplayName("A step that prints its JSON document succeeds; the plan shows limits and form, and its hash depends on them")
  void planned() throws Exception {
    String spec = """
        steps:
          - name: list
            run: [echo, "[1]"]
            limits: { cpu: 5m, memory: 512MB }
            output: { json: true, max: 1KB }
        """;
    intent(spec);
    assertThat(run("run", "count").exit()).isZero();

    String plan = run("plan", "count").out();
    intent(spec.replace("5m", "6m"));

    assertThat(plan).contains("""
        step      list, at most 600 s
                  limits cpu_seconds=300 memory_bytes=536870912
                  output json=true max_bytes=1024
                    echo '[1]'
        """);
    assertThat(run("plan", "count").out().lines().filter(line -> line.startsWith("plan ")).toList())
        .isNotEqualTo(plan.lines().filter(line -> line.startsWith("plan ")).toList());
  }

  @Test
  @DisplayName("What a limit that cannot be enforced means is found by the doctor, and stops the step before it begins")
  void unenforceable() throws Exception {
    intent("""
        steps:
          - { name: open, script: touch began, limits: { open_files: 1048576 } }
        """);

    Outcome doctor = run("doctor");
    Outcome outcome = run("run", "count");

    if (outcome.exit() != 0) {
      assertThat(stable(outcome.err())).contains("tower: step open failed, the limit open_files cannot be enforced on "
          + "this host (sh: ");
      assertThat(home.root().resolve("began")).doesNotExist();
      assertThat(doctor.out()).contains("the limit open_files cannot be enforced on this host (sh: ");
    } else {
      assertThat(doctor.out()).doesNotContain("open_files");
    }
  }
}
