package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.home.NewHome;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.ReleasedStatements;
import fleet.tower.platform.sql.ReleasedStatements.Execution;
import fleet.tower.platform.sql.StatementRecorder;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.members.Member;
import fleet.tower.task.TaskStatus;

/**
 * Commands that together use every shared table, and what a version does with a database to execute them. At a release,
 * {@link #main} prints that for {@code src/test/resources/released/statements.txt}.
 */
final class ReleaseSteps {
  /** Each begins with its exit code; {@code $} is the first word that the command before has printed. */
  private static final SequencedMap<String, List<String>> STEPS = new LinkedHashMap<>();

  static {
    step("lock", "0 lock first --ttl 600s --request-id a1", "0 lock first --ttl 600s --request-id a1");
    step("refused", "2 lock first --request-id a2 --wait 1s");
    step("another lock", "0 lock second --ttl 600s --request-id a3");
    step("renew", "0 heartbeat first --request-id a1", "0 heartbeat second --request-id a3");
    step("list", "0 locks", "0 locks first");
    step("release", "0 unlock first --request-id a1", "3 exists first");
    step("lock after another", "0 lock first --ttl 600s --request-id a4");
    step("release after another", "0 unlock first --request-id a4", "0 unlock second --request-id a3");
    step("freeze", "0 freeze third --ttl 600s --reason because --request-id a5");
    step("refused by a freeze", "2 lock third --request-id a6");
    step("unfreeze", "0 unfreeze third --request-id a7", "0 lock third --ttl 600s --request-id a8",
        "0 unlock third --request-id a8");
    step("run", "0 run hello -p name=old --request-id r1");
    step("queue", "0 run hello -p name=queued --request-id r2 --queue", "0 cancel r2");
    step("find runs", "0 runs", "0 runs r1", "0 runs --intent hello", "0 run hello -p name=old --request-id r1");
    step("hosts", "0 hosts");
    step("audit", "0 audit --request-id r1", "0 audit --name first");
    step("create tasks", "0 task create Old --agent ann --request-id t1 --id task-1",
        "0 task create Next --agent ann --request-id t2 --id task-2 -d task-1 --priority 5");
    step("claim", "0 task claim --agent ann --request-id t3", "0 task claim --agent ann --request-id t3");
    step("work", "0 task heartbeat task-1 --agent ann --request-id t4", "0 task list", "0 task events task-1");
    step("close", "0 task close task-1 --outcome done --agent ann --request-id t5", "0 task get task-2");
    step("claim the next", "0 task claim --agent bob --request-id t6");
    step("give back", "0 task release task-2 --agent bob --request-id t7",
        "0 task start task-2 --agent ann --request-id t8", "0 task resume --agent ann --request-id t9",
        "0 task gc --agent ann --request-id t10");
    step("send", "0 mailbox send box hello --id m1", "0 mailbox send box hello --id m1",
        "0 mailbox send box again --id m2");
    step("receive", "0 mailbox receive box", "0 mailbox extend box $ --visibility 60s", "0 mailbox receive box",
        "0 mailbox nack box $");
    step("reject", "0 mailbox receive box", "0 mailbox reject box $ --error wrong", "0 mailbox dead box",
        "0 mailbox dead box m2 --revive");
    step("acknowledge", "0 mailbox receive box", "0 mailbox ack box $", "0 mailbox count box");
    step("purge", "0 mailbox purge box");
    step("token", "0 token create ci --role agent", "0 token list", "0 token revoke ci");
    step("gc", "0 gc");
  }

  private ReleaseSteps() {}

  private static void step(String name, String... commands) {
    STEPS.put(name, List.of(commands));
  }

  static List<String> names() {
    return List.copyOf(STEPS.keySet());
  }

  /** A new home in a database of a fleet. */
  static TestHome home(Path root, String url) {
    new NewHome(root).create();
    return new TestHome(root).with("TOWER_DATABASE_URL", url).with("TOWER_ACTOR", "ann");
  }

  /** Executes the commands of a step. */
  static void execute(String step, TestHome home) {
    String printed = "";
    for (String command : STEPS.getOrDefault(step, List.of())) {
      String[] exitAndLine = command.split(" ", 2);
      Outcome outcome = home.tower(exitAndLine[1].replace("$", printed));
      assertThat(outcome.exit()).as("%s, %s: %s%s", step, command, outcome.out(), outcome.err())
          .isEqualTo(Integer.parseInt(exitAndLine[0]));
      printed = outcome.out().split("\\s", 2)[0];
    }
  }

  /** The words in shared tables and documents: a version cannot read a row with a word that it does not know. */
  static SequencedMap<String, List<String>> words() {
    SequencedMap<String, List<String>> words = new LinkedHashMap<>();
    words.put("run", names(RunStatus.values()));
    words.put("step", names(StepRecord.Status.values()));
    words.put("step-kind", names(StepRecord.Kind.values()));
    words.put("mode", names(Intent.Mode.values()));
    words.put("heartbeat", names(Controls.Heartbeat.values()));
    words.put("executor", names(Member.Kind.values()));
    words.put("task", names(TaskStatus.values()));
    return words;
  }

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  /** What the last release does; if there is none, what this version does. */
  static ReleasedStatements ofLastRelease(Path root) throws SQLException {
    try (InputStream in = ReleaseSteps.class.getResourceAsStream("/released/statements.txt")) {
      return ReleasedStatements.parse(in == null
          ? record(root).text()
          : new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ReleasedStatements record(Path root) throws SQLException {
    String url = PostgresServer.newMigratedDatabase();
    SequencedMap<String, List<Execution>> steps = new LinkedHashMap<>();
    try (StatementRecorder recorder = new StatementRecorder(url)) {
      TestHome home = home(root, url);
      for (String step : STEPS.keySet()) {
        execute(step, home);
        steps.put(step, recorder.take());
      }
    }
    String version = new DirectTables(url).look("SELECT MAX(version) FROM schema_versions").getFirst();
    return new ReleasedStatements(Integer.parseInt(version), words(), steps);
  }

  /** Prints what this version does. */
  static void main(String[] arguments) throws IOException, SQLException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    out.print(record(Files.createTempDirectory("release").resolve("home")).text());
  }
}
