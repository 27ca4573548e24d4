package fleet.tower.console;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

import org.assertj.core.api.Assertions;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;

/** The real service on a home with intents and callers, for tests of the console. */
final class ConsoleHome implements AutoCloseable {
  static final String OPERATOR = TestTokens.tokenOf("olga");
  static final String AGENT = TestTokens.tokenOf("ada");
  static final String APPROVER = TestTokens.tokenOf("cora");
  static final String VIEWER = TestTokens.tokenOf("vera");

  private static final Instant LONG_AGO = Instant.parse("2026-01-02T03:04:05Z");

  final TestService service;
  private final Path home;

  ConsoleHome(Path home, String... settings) {
    this.home = home;
    prepare(home);
    service = new TestService(home, settings);
  }

  /** Writes the intents and the callers. */
  static void prepare(Path home) {
    TestService.makeHome(home);
    TestTokens.write(home, TestTokens.entry("olga", "operator", "") + TestTokens.entry("ada", "agent", "")
        + TestTokens.entry("cora", "agent", "approve: ['*']\n") + TestTokens.entry("cora-bot", "agent", "owner: cora\n")
        + TestTokens.entry("vera", "viewer", ""));
    TestService.declare(home, "deploy", "1.2.0", "Deploy an app to an environment", """
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z][a-z0-9-]*", description: Which app }
          env: { type: string, enum: [staging, production], default: staging }
        controls: { lock: "${params.app}-${params.env}" }
        steps:
          - name: fetch
            run: [echo, "fetching ${params.app}"]
          - name: switch
            script: |
              echo "switching $PARAM_APP"
              touch "$TOWER_HOME/begun-$TOWER_REQUEST_ID"
              until [ -e "$TOWER_HOME/go-$PARAM_APP" ]; do sleep 0.2; done
            rollback: [echo, switching back]
          - name: check
            run: [echo, "${params.app} answers"]
        """);
    TestService.declare(home, "import", "1.2.0", "Import rows, and print each", """
        mode: observe
        params:
          rows: { type: integer, minimum: 1, maximum: 1000000, default: 100 }
        steps:
          - name: rows
            script: seq -f 'row %.0f is imported' "$PARAM_ROWS"
        """);
    TestService.declare(home, "talk", "1.2.0", "Print many rows when told to", """
        mode: observe
        steps:
          - name: rows
            script: |
              echo ready
              until [ -e "$TOWER_HOME/go-talk" ]; do sleep 0.2; done
              seq -f 'row %.0f of the talk' 100000
        """);
    TestService.declare(home, "check-disks", "1.2.0", "Look whether disks are full", """
        mode: observe
        steps:
          - name: look
            script: echo "disk 3 is full" >&2; exit 3
        """);
    TestService.declare(home, "rotate-key", "1.2.0", "Replace the key of a service", """
        mode: mutate
        params:
          service: { type: string, enum: [mail, shop], default: mail }
          key: { type: string, secret: true, required: true, pattern: "[a-z0-9-]{8,40}" }
        steps:
          - name: replace
            script: echo "replaced the key of $PARAM_SERVICE"
        """);
  }

  void declare(String intent, String spec) {
    TestService.declare(home, intent, spec);
  }

  String url() {
    return service.url();
  }

  /** Submits a deployment, which waits in its second step until {@link #finish}. */
  void deploy(String token, String app, String id) {
    submit(token, "deploy", "{\"app\":\"" + app + "\"}", id, "");
    Await.until(id + " has begun", () -> Files.exists(home.resolve("begun-" + id)));
  }

  /** Submits a run, without waiting for its end; {@code more} are further members of the body. */
  void submit(String token, String intent, String params, String id, String more) {
    Answer answer = service.callAs(token, "POST", "/intents/" + intent,
        "{\"params\":" + params + ",\"request_id\":\"" + id + "\"" + more + "}", "Prefer", "respond-async");
    Assertions.assertThat(answer.status()).as(answer.body()).isEqualTo(202);
  }

  /** Lets the deployments of an app go on. */
  void finish(String app) {
    TestFiles.write(home.resolve("go-" + app), "");
  }

  /** The result of a run that has ended. */
  String ended(String id) {
    Await.until(id + " has ended",
        () -> status(id).matches("succeeded|failed|cancelled|interrupted|lock_lost|timed_out|refused"));
    return status(id);
  }

  String status(String id) {
    return service.get("/runs/" + id).body().replaceAll("(?s).*?\"status\":\"(\\w+)\".*", "$1");
  }

  /** Calls as an operator would, and expects success. */
  Answer call(String token, String method, String path, String body) {
    Answer answer = service.callAs(token, method, path, body);
    Assertions.assertThat(answer.status()).as(method + " " + path + ": " + answer.body()).isBetween(200, 299);
    return answer;
  }

  /** A lock whose holder has stopped long ago. */
  void staleLock(String name) {
    service.foreignLock(name, LONG_AGO, 60);
  }

  /** The events of the audit log about a lock, as the operator reads them. */
  String audit(String lock) {
    return service.get("/audit?lock_name=" + lock).body();
  }

  @Override
  public void close() {
    service.close();
  }
}
