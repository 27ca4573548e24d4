package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.intent.Catalogue;
import fleet.tower.platform.time.ManualTime;

/** The digest that hosts compare. */
class IntentDigestTest {
  private static final String DEPLOY = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: deploy, version: 1.0.0, description: Deploys }
      spec:
        mode: reconcile
        params:
          app: { type: string, default: shop, pattern: "[a-z]+" }
          count: { type: integer, minimum: 1, maximum: 5, default: 2, enum: [1, 2] }
        controls:
          lock: "prod"
          heartbeat: timer
          on_lock_lost: stop
          on_stale: refuse
          on_interrupted: keep
          respect: ["beads:."]
          exclusive: ["flock:state/x.lock"]
        runs_on: [db-admin, eu]
        timeouts: { lock_ttl: 900, step: 600, run: 3600 }
        schedule: "0 0 4 * * *"
        steps:
          - name: one
            run: [scripts/one.sh, "--app", "${params.app}"]
            env: { A: "1", B: "2" }
            timeout: 60
            rollback: [bash, -e, scripts/undo.sh]
          - name: two
            script: echo two
        rollback:
          - name: undo
            run: [echo, undo]
      """;

  @TempDir
  private Path home;
  private final ManualTime time = new ManualTime("2026-01-01T10:00:00Z");

  @BeforeEach
  void scripts() throws IOException {
    Files.createDirectories(home.resolve("intents"));
    write("scripts/one.sh", "echo one\n");
    write("scripts/undo.sh", "echo undo\n");
    write("data.csv", "1\n");
  }

  private void write(String file, String text) throws IOException {
    Files.createDirectories(home.resolve(file).getParent());
    Files.writeString(home.resolve(file), text);
  }

  private Catalogue catalogue(String text) throws IOException {
    write("intents/deploy.yaml", text);
    return new IntentFiles(home.resolve("intents"), time, true).catalogue();
  }

  private String digest(String text) throws IOException {
    Catalogue catalogue = catalogue(text);
    assertThat(catalogue.complaints().stream().filter(Catalogue.Complaint::isError)).isEmpty();
    return catalogue.find("deploy").orElseThrow().digest();
  }

  @Test
  @DisplayName("Comments, layout, the order of keys and labels, and written defaults do not change a digest")
  void same() throws IOException {
    String digest = digest(DEPLOY);
    assertThat(digest).matches("[0-9a-f]{64}");
    for (String same : new String[]{"# a comment\n" + DEPLOY,
        DEPLOY.replace("{ A: \"1\", B: \"2\" }", "\n        B: '2' # second\n        A: '1'"),
        DEPLOY.replace("  timeouts: { lock_ttl: 900, step: 600, run: 3600 }\n", ""),
        DEPLOY.replace("    heartbeat: timer\n", "").replace("    on_stale: refuse\n", ""),
        DEPLOY.replace("[db-admin, eu]", "[eu, db-admin]")}) {
      assertThat(same).isNotEqualTo(DEPLOY);
      assertThat(digest(same)).as(same).isEqualTo(digest);
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      version: 1.0.0          | version: 1.0.1
      description: Deploys    | description: Deploys it
      mode: reconcile         | mode: reconcile # changed below
      default: shop           | default: shops
      [a-z]+                  | [a-y]+
      minimum: 1              | minimum: 0
      maximum: 5              | maximum: 6
      enum: [1, 2]            | enum: [1, 2, 3]
      app: { type             | app: { secret: false, required: false, description: x, type
      lock: "prod"            | lock: "stage"
      heartbeat: timer        | heartbeat: progress
      on_lock_lost: stop      | on_lock_lost: continue
      on_stale: refuse        | on_stale: take
      on_interrupted: keep    | on_interrupted: release
      beads:.                 | beads:x
      flock:state/x.lock      | flock:state/y.lock
      lock_ttl: 900           | lock_ttl: 901
      step: 600               | step: 601
      run: 3600               | run: 3601
      0 0 4                   | 0 0 5
      [db-admin, eu]          | [db-admin]
      - name: one             | - name: first
      "--app"                 | "--apps"
      A: "1"                  | A: "3"
      timeout: 60             | timeout: 61
      -e, scripts             | -eu, scripts
      echo two                | echo three
      name: undo              | name: undone
      [echo, undo]            | [echo, undo, it]
      schedule:               | limits: { cpu: 5m }\\n  schedule:
      timeout: 60             | limits: { network: false }\\n      timeout: 60
      timeout: 60             | output: { json: true }\\n      timeout: 60
      timeout: 60             | output: { lines: a }\\n      timeout: 60
      timeout: 60             | output: { schema: { type: array } }\\n      timeout: 60
      schedule:               | secrets: { KEY: { file: k } }\\n  schedule:
      timeout: 60             | repeatable: true\\n      timeout: 60
      timeout: 60             | repeatable: true\\n      retry: { times: 1 }\\n      timeout: 60
      """)
  @DisplayName("Everything else that a file declares changes the digest, even a word in a script")
  void different(String before, String after) throws IOException {
    String changed = DEPLOY.replace(before, after.replace("\\n", "\n"));
    assertThat(changed).isNotEqualTo(DEPLOY);
    if (after.contains("# changed below")) {
      changed = DEPLOY.replace("mode: reconcile", "mode: observe").replace("exclusive: [\"flock:state/x.lock\"]", "");
    }

    assertThat(digest(changed)).isNotEqualTo(digest(DEPLOY));
  }

  @Test
  @DisplayName("The name, the kind and the place of a secret change the digest, its order does not")
  void secrets() throws IOException {
    assertThat(Stream.of("{ K: { file: x }, L: { file: y } }", "{ L: { file: y }, K: { file: x } }",
        "{ K: { env: x }, L: { file: y } }", "{ K: { file: z }, L: { file: y } }", "{ M: { file: x }, L: { file: y } }")
        .map(secrets -> read(DEPLOY.replace("  schedule:", "  secrets: " + secrets + "\n  schedule:")))
        .distinct()).hasSize(4);
  }

  private String read(String text) {
    try {
      return digest(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("Each word of a schema of output changes the digest, the order of its keys does not")
  void schemas() {
    assertThat(Stream.of("{ type: array, maxItems: 2 }", "{ maxItems: 2, type: array }", "{ type: array, maxItems: 3 }",
        "{ type: [array], maxItems: 2 }")
        .map(schema -> read(DEPLOY.replace("timeout: 60", "timeout: 60\n      output: { schema: " + schema + " }")))
        .distinct()).hasSize(3);
  }

  @Test
  @DisplayName("The effect of all steps together changes the digest")
  void effect() throws IOException {
    String external = digest(DEPLOY.replace("  mode:", "  effect: external\n  mode:"));
    assertThat(external).isNotEqualTo(digest(DEPLOY));
    assertThat(digest(DEPLOY.replace("timeout: 60", "timeout: 60\n      effect: external")
        .replace("script: echo two", "script: echo two\n      effect: reversible"))).isEqualTo(external);
  }

  @ParameterizedTest
  @CsvSource({"scripts/one.sh,true", "scripts/undo.sh,true", "data.csv,false"})
  @DisplayName("The bytes of a file that a step executes change the digest without a restart; those of other files do not")
  void files(String file, boolean isExecuted) throws IOException {
    Catalogue catalogue = catalogue(DEPLOY);
    String before = catalogue.find("deploy").orElseThrow().digest();

    write(file, "echo another\n");
    time.advance(Duration.ofSeconds(1));

    assertThat(!catalogue.find("deploy").orElseThrow().digest().equals(before)).isEqualTo(isExecuted);
    Files.delete(home.resolve(file));
    time.advance(Duration.ofSeconds(1));
    assertThat(!catalogue.find("deploy").orElseThrow().digest().equals(before)).isEqualTo(isExecuted);
  }

  @Test
  @DisplayName("A file that becomes invalid keeps the digest of its last valid version")
  void broken() throws IOException {
    Catalogue catalogue = catalogue(DEPLOY);
    String before = catalogue.find("deploy").orElseThrow().digest();

    write("intents/deploy.yaml", DEPLOY.replace("mode: reconcile", "mode: recncile"));
    time.advance(Duration.ofDays(400));

    assertThat(Stream.of(1, 2).map(_ -> {
      time.advance(Duration.ofSeconds(1));
      return catalogue.find("deploy").orElseThrow().digest();
    })).containsOnly(before);
    assertThat(catalogue.complaints()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      runs_on: [db-admin, eu] | runs_on: db-admin        | must be a list
      runs_on: [db-admin, eu] | runs_on: []              | give at least one item
      runs_on: [db-admin, eu] | runs_on: [db admin]      | must be a label: 1 to 63 letters
      runs_on: [db-admin, eu] | run_on: [db-admin]       | did you mean 'runs_on'
      """)
  @DisplayName("Mistakes in runs_on are reported with the valid form")
  void mistakes(String before, String after, String message) throws IOException {
    assertThat(catalogue(DEPLOY.replace(before, after)).complaints()).extracting(Catalogue.Complaint::message)
        .anySatisfy(it -> assertThat(it).contains(message));
  }
}
