package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.home.NewHome;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.ReleasedStatements;

/**
 * This version's commands, alternating with the statements that 0.1.0 executes for the same commands on the same rows.
 * The statements were recorded in this order.
 */
@DisplayName("During a rolling upgrade, this version and 0.1.0 share one database")
class RollingUpgradeTest {
  private static final String FREEZE = "SELECT freeze_request_id FROM locks WHERE name = 'fourth'";

  private final PostgresServer.TwoUsers users = PostgresServer.newDatabaseOfTwoUsers();
  private final DirectTables tables = new DirectTables(users.app());
  private final TestHome home;
  private final ReleasedStatements released;

  RollingUpgradeTest(@TempDir Path root) {
    Database.schema(users.owner()).upgrade();
    new NewHome(root).create();
    home = new TestHome(root).with("TOWER_DATABASE_URL", users.app()).with("TOWER_ACTOR", "ann");
    released = new ReleasedStatements(users.app());
  }

  @AfterEach
  void close() {
    released.close();
  }

  private void released(String... operations) {
    for (String operation : operations) {
      released(operation, Map.of());
    }
  }

  private void released(String operation, Map<String, String> ids) {
    assertThat(released.operations()).contains(operation);
    assertThat(released.differences(operation, ids)).as("%s, as 0.1.0 does it", operation).isEmpty();
  }

  private Outcome now(String line, int exit) {
    Outcome outcome = home.tower(line);
    assertThat(outcome.exit()).as("%s: %s%s", line, outcome.out(), outcome.err()).isEqualTo(exit);
    return outcome;
  }

  private String json(String line) {
    return now(line + " --json", 0).out();
  }

  @Test
  @DisplayName("Every statement of 0.1.0 fits the tables")
  void statements() {
    assertThat(released.unparseable()).isEmpty();
  }

  @Test
  @DisplayName("A renamed column and a new mandatory one are noticed")
  void incompatible() {
    DirectTables owned = new DirectTables(users.owner());
    owned.change("ALTER TABLE executors RENAME COLUMN machine TO boot");
    owned.change("ALTER TABLE lock_waiters ADD COLUMN mandatory TEXT NOT NULL");

    assertThat(released.unparseable()).isNotEmpty().allMatch(it -> it.contains("\"machine\""));
    assertThat(released.differences("join the queue", Map.of()))
        .anyMatch(it -> it.contains("null value in column \"mandatory\""));
  }

  @Test
  @DisplayName("0.1.0 starts on the upgraded schema: it finds the version that it expects")
  void version() {
    assertThat(tables.look("SELECT MAX(version) FROM schema_versions")).containsExactly("8");
  }

  @Test
  @DisplayName("Each grants, refuses, renews, queues, freezes and releases what the other has written")
  @ProofsProfile
  void everything() {
    locks();
    freezes();
    runs();
    tasks();
    messages();
    released("gc", "unlock");
    now("exists first", 3);
    now("unfreeze third", 0);
  }

  private void locks() {
    released("lock");
    assertThat(now("lock first --request-id new-9", 2).err()).contains("first is held by ann on old-host",
        "request old-1");
    now("heartbeat first --request-id old-1", 0);
    released("lock again");
    now("lock second --ttl 600s --request-id new-1", 0);
    released("refused", "join the queue");
    assertThat(json("locks second")).contains("\"waiters\":1,");
    now("lock second --request-id new-2 --wait 1s", 2);
    released("leave the queue");
    assertThat(json("locks second")).contains("\"waiters\":0,");
    released("renew", "release");
    now("exists second", 3);
    released("lock after another");
    assertThat(json("locks second")).contains("\"fencing_token\":1000000000002", "\"request_id\":\"old-3\"",
        "\"host_id\":\"old-host\"");
    now("unlock second --request-id old-3", 0);
  }

  private void freezes() {
    released("freeze");
    assertThat(now("lock third --request-id new-3", 2).err()).contains("third is frozen by ann", "because");
    now("freeze fourth --ttl 600s --reason because", 0);
    released("refused by a freeze");
    released("unfreeze", Map.of("FREEZE-1", tables.look(FREEZE).getFirst()));
    now("lock fourth --request-id new-4", 0);
    now("unlock fourth --request-id new-4", 0);
    released("list");
  }

  private void runs() {
    released("run begins");
    released("run ends");
    assertThat(json("runs run-old")).contains("\"status\":\"succeeded\"", "\"name\":\"announce\"",
        "\"fencing_token\":1");
    assertThat(now("run hello -p name=old --request-id run-old", 0).err()).contains("run run-old ran before");
    released("run again", "queue");
    assertThat(json("runs run-queued")).contains("\"status\":\"waiting\"");
    now("run hello -p name=new --request-id run-new", 0);
    assertThat(json("runs run-new")).contains("\"fencing_token\":1000000000001");
    released("find a run", "list runs", "list runs of an intent", "list hosts", "audit");
    assertThat(now("audit --request-id run-old", 0).out().lines()).hasSize(4);
    assertThat(tables.look("SELECT DISTINCT host_id FROM audit_events ORDER BY 1")).containsExactly("old-host",
        "tower-01");
  }

  private void tasks() {
    released("task create");
    now("task create New --agent bob --request-id t2 --id task-new --priority 5", 0);
    released("task claim", "task start", "task heartbeat");
    assertThat(json("task get task-new")).contains("\"claimed_by\":\"ann\"");
    released("task close");
    assertThat(json("task get task-new")).contains("\"status\":\"completed\"");
    now("task create Next --agent bob --request-id t7 --id task-next --priority 5", 0);
    assertThat(now("task claim --agent bob --request-id t8", 0).out()).isEqualTo("task-next\n");
    released("task claim of the rest", "task release", "task list", "task events");
    now("task create Blocked --agent bob --request-id t20 --id task-blocked -d task-next", 0);
    now("task create Waiting --agent bob --request-id t21 --id task-waiting --priority 9", 0);
    released("task resume");
    now("task heartbeat task-old --attempt 2 --agent ann --request-id n1", 0);
    released("task gc");
    now("task close task-old --outcome done --attempt 2 --agent ann --request-id n2", 0);
    assertThat(now("task claim --agent ann --request-id n3", 0).out()).isEqualTo("task-waiting\n");
  }

  private void messages() {
    released("mailbox send", "mailbox send again");
    assertThat(now("mailbox receive box", 0).out()).startsWith("msg-old/");
    now("mailbox send other new --id msg-new", 0);
    released("mailbox receive", "mailbox extend", "mailbox ack");
    now("mailbox send other new --id msg-new2", 0);
    now("mailbox receive other", 0);
    released("mailbox reject", "mailbox dead");
    assertThat(now("mailbox dead other", 0).out()).contains("msg-new2", "rejected");
    released("mailbox revive");
    now("mailbox receive other", 0);
    released("mailbox nack", "mailbox purge");
    assertThat(json("mailbox count other")).contains("\"messages\":0");
  }
}
