package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

/** The real service with test intents; a waiting intent continues when the test lets it. */
public final class TestRunService implements AutoCloseable {
  public final TestService service;
  private final Path home;

  public TestRunService(Path home, String... settings) {
    this.home = home;
    declareSlow(home);
    declareQuick(home);
    service = new TestService(home, settings);
  }

  private static void declareSlow(Path home) {
    TestService.declare(home, "say", """
        mode: observe
        params:
          text: { type: string, default: hello }
        steps:
          - name: print
            run: [printf, '%s', "${params.text}"]
          - name: script
            script: printf '%s' "$PARAM_TEXT"
        """);
    TestService.declare(home, "wait", """
        mode: mutate
        params:
          lock: { type: string, required: true }
        controls: { lock: "${params.lock}" }
        steps:
          - name: work
            script: |
              echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/begun-$PARAM_LOCK"
              echo begun
              until [ -e "$TOWER_HOME/go-$PARAM_LOCK" ]; do sleep 0.05; done
              echo "$TOWER_LOCK_TOKEN"
            rollback: [echo, undone]
        """);
  }

  private static void declareQuick(Path home) {
    TestService.declare(home, "short", """
        mode: mutate
        params:
          lock: { type: string, default: short }
        controls: { lock: "${params.lock}" }
        steps:
          - name: work
            script: echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/order-$PARAM_LOCK"
        """);
    TestService.declare(home, "fail", """
        mode: mutate
        controls: { lock: fail }
        steps:
          - name: good
            run: [echo, done]
            rollback: [echo, undone]
          - name: bad
            script: echo oh no >&2; exit 3
          - name: never
            run: [echo, never]
        """);
    TestService.declare(home, "vault", """
        mode: mutate
        params:
          key: { type: string, secret: true, required: true, pattern: "[a-z0-9-]{8,40}" }
        steps:
          - name: use
            script: echo "the key is $PARAM_KEY"
        """);
  }

  /** Submits a run that waits for the test, and returns when its step has started. */
  public CompletableFuture<Answer> begin(String lock, String id) {
    CompletableFuture<Answer> answer = service.later("/intents/wait",
        "{\"params\":{\"lock\":\"" + lock + "\"},\"request_id\":\"" + id + "\"}");
    Await.until(id + " is at work", () -> lines("begun-" + lock).contains(id) || answer.isDone());
    assertThat(answer.isDone()).isFalse();
    return answer;
  }

  /** Lets the waiting runs that hold a lock continue. */
  public void letGo(String lock) {
    TestFiles.write(home.resolve("go-" + lock), "");
  }

  public List<String> lines(String file) {
    return TestFiles.textIfAny(home.resolve(file)).lines().toList();
  }

  @Override
  public void close() {
    service.close();
  }
}
