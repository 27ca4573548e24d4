package fleet.tower.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.operation.Ask;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/**
 * {@code tower demo}: a session in a temporary home, with explanations. A run starts over HTTP, a second one is
 * refused, the service is killed, its lock goes stale, and another run takes it by force. The commands are real
 * processes, and nothing of them remains.
 */
public final class DemoCommand {
  private static final String APP = "app=shop";
  private static final String DEPLOY = new Ask(RunOperations.SUBMIT,
      Given.NOTHING.with(RunOperations.INTENT, "deploy-app")).path();

  private static final String INTENT = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: deploy-app, version: 1.0.0, description: Deploy one app }
      spec:
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z0-9-]+" }
          seconds: { type: integer, minimum: 1, maximum: 60, default: 1 }
        controls: { lock: "${params.app}-production" }
        timeouts: { lock_ttl: 5 }
        steps:
          - name: copy_files
            script: sleep "$PARAM_SECONDS"
          - name: switch_traffic
            run: [echo, "${params.app} is live; fencing token ${lock.token}"]
      """;

  private final Console console;
  private final Interruptions interruptions;

  public DemoCommand(Console console, Interruptions interruptions) {
    this.console = console;
    this.interruptions = interruptions;
  }

  /** The command. */
  public Command demo() {
    return new Command("demo", List.of(),
        "show a run, a refusal, a crash and a takeover in a temporary home, with explanations", List.of(),
        this::demo);
  }

  private Reply demo(Arguments arguments) {
    try (DemoSession session = DemoSession.open(arguments.has("json") ? console::words : console::data)) {
      interruptions.on(session::close);
      return play(session);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Reply play(DemoSession session) throws IOException {
    try {
      run(session);
      takeOver(session);
      session.explain("The end. The demo now removes its home; `tower init` creates a permanent one.");
      return Reply.of(Exit.DONE, JsonWriter.line());
    } catch (DemoSession.UnexpectedException | IOException e) {
      if (session.isClosed()) {
        return Reply.silent(Exit.FAILED);
      }
      return Reply.failure(ErrorCode.INTERNAL_ERROR, "the demo failed: " + e.getMessage(),
          "the output above has the reason; `tower doctor` checks a home of your own");
    }
  }

  private static void run(DemoSession session) throws IOException {
    session.explain("A home is a directory with intents, settings and state. This one is temporary.");
    session.show("export TOWER_HOME=" + session.home());
    session.tower(0, "init");
    session.explain("An intent declares a change: its parameters, its lock and its steps. This lock is short: 5 s.");
    session.write("intents/deploy-app.yaml", INTENT);
    session.explain("The service runs intents over HTTP. Every call needs a token.");
    session.serve();
    session.show("AUTH=\"Authorization: Bearer $(cat $TOWER_HOME/state/token)\"");
    session.explain("A first caller deploys the app shop. The run holds the lock shop-production.");
    session.post(202, DEPLOY, "Prefer: respond-async",
        "{\"request_id\":\"first\",\"params\":{\"app\":\"shop\",\"seconds\":60}}", "request_id", "status");
    session.explain("A second caller wants the same and is refused: the answer names the holder. Nothing was started.");
    session.post(409, DEPLOY, "", "{\"request_id\":\"second\",\"params\":{\"app\":\"shop\"}}", "status",
        "error", "detail");
  }

  private static void takeOver(DemoSession session) throws IOException {
    session.explain("The service crashes in the middle of the run. The app may be half deployed.");
    session.killService();
    session
        .explain("The lock remains, so that no other run starts on a half-deployed app. Commands use the same locks.");
    session.refused("run", "deploy-app", "-p", APP, "--actor", "bob");
    session
        .explain("Without a heartbeat for more than 5 s the lock is stale. It is not taken by accident: exit code 5.");
    // Ages count whole seconds.
    session.sleep(6);
    session.tower(5, "run", "deploy-app", "-p", APP, "--actor", "bob");
    session
        .explain("Bob has checked what the first run did, and takes the lock. Fencing tokens grow with each holder.");
    session.tower(0, "run", "deploy-app", "-p", APP, "--actor", "bob", "--force-lock");
    session.explain("The audit log has the takeover, with the previous holder and the hash of its lock.");
    session.tower(0, "audit", "--event", "lock_stolen");
    session.explain("The runs: one was interrupted, the other succeeded.");
    session.tower(0, "runs");
  }
}
