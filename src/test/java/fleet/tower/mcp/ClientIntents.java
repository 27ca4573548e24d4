package fleet.tower.mcp;

import java.nio.file.Path;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.service.config.TestService;

/** The intents that clients call in these tests, in one home or in the homes of a fleet. */
final class ClientIntents {
  private ClientIntents() {}

  static Path declare(Path home) {
    TestService.makeHome(home);
    TestService.declare(home, "say", """
        mode: observe
        params:
          text: { type: string, default: hello }
        steps:
          - name: print
            run: [printf, '%s', "${params.text}"]
        """);
    TestService.declare(home, "hop", """
        mode: observe
        steps:
          - name: first
            run: ["true"]
          - name: second
            run: [sleep, "0.02"]
          - name: third
            run: [sleep, "0.05"]
          - name: fourth
            run: ["true"]
        """);
    TestService.declare(home, "deploy", """
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z]+" }
          environment: { type: string, enum: [staging, production], default: staging }
        controls: { lock: "${params.app}" }
        steps:
          - name: work
            script: echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/deployed-$PARAM_APP"
        """);
    TestService.declare(home, "migrate", """
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z]+" }
        controls: { lock: "${params.app}" }
        steps:
          - name: begin
            run: ["true"]
            rollback: [touch, "undone-${params.app}"]
          - name: finish
            script: |
              echo waiting for the test
              echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/begun-$PARAM_APP"
              until [ -e "$TOWER_HOME/go-$PARAM_APP" ]; do sleep 0.05; done
              echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/done-$PARAM_APP"
        """);
    TestService.declare(home, "sync", """
        mode: reconcile
        params:
          app: { type: string, required: true, pattern: "[a-z]+" }
        controls: { lock: "${params.app}", on_stale: take, on_interrupted: release }
        steps:
          - name: sync
            script: |
              echo $$ >>"$TOWER_HOME/pids-$PARAM_APP"
              echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/begun-$PARAM_APP"
              until [ -e "$TOWER_HOME/go-$PARAM_APP" ]; do sleep 0.05; done
              echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/done-$PARAM_APP"
        """);
    return home;
  }

  /** Waits until a run of {@code migrate} has begun its last step. */
  static void awaitBegun(Path home, String app, String id) {
    Await.until(id + " has begun", () -> TestFiles.textIfAny(home.resolve("begun-" + app)).contains(id));
  }

  /** Lets the runs of {@code migrate} for an app end. */
  static void letGo(Path home, String app) {
    TestFiles.write(home.resolve("go-" + app), "");
  }
}
