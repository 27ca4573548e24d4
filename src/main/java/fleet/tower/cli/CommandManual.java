package fleet.tower.cli;

import static fleet.tower.cli.shell.Manual.Page.of;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.cli.shell.Environment;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Manual;
import fleet.tower.cli.shell.Manual.Page;
import fleet.tower.cli.shell.Manual.Subject;
import fleet.tower.cli.shell.Manual.Topic;
import fleet.tower.home.Settings;

/** The manual of the {@code tower} command: the subjects, examples and notes of all commands, and the topics. */
public final class CommandManual {
  private static final String EITHER_FORCE = "--force is the short form of --force-lock. Neither takes an active lock.";
  private static final String AGENT = "The agent is required: give --agent, or set TOWER_AGENT.";

  private CommandManual() {}

  /** The manual. */
  public static Manual manual() {
    return new Manual(
        List.of(new Subject("Runs", runs()), new Subject("Locks", locks()), new Subject("Guards", guards()),
            new Subject("Tasks", tasks()), new Subject("Mailboxes", mailboxes()),
            new Subject("Other tools", otherTools()), new Subject("Service", service()), new Subject("Home", home())),
        List.of(exitCodes(), environment()), synonyms());
  }

  private static List<Page> runs() {
    return List.of(of("run", "tower run deploy-app -p app=shop --wait 10m", EITHER_FORCE),
        of("plan", "tower plan deploy-app -p app=shop"), of("intents", "tower intents"),
        of("validate", "tower validate intents/deploy-app.yaml"),
        of("runs", "tower runs --intent deploy-app --limit 5"),
        of("cancel", "tower cancel req_4f2a"), of("beat", "tower beat",
            "It reports progress of a run. To renew a lock of `tower lock`, use `tower heartbeat`."));
  }

  private static List<Page> locks() {
    return List.of(
        of("lock", "tower lock prod --ttl 15m --wait 10m",
            "No process renews the lock: call `tower heartbeat` in time, or use `tower guard`.", EITHER_FORCE),
        of("heartbeat", "tower heartbeat prod --request-id req_4f2a",
            "It renews a lock of `tower lock`. To report progress of a run, use `tower beat`."),
        of("unlock", "tower unlock prod --request-id req_4f2a"), of("locks", "tower locks prod"),
        of("check", "tower check prod",
            "Never use it as a condition: `check X && deploy` deploys if X is stale, and X may change in between.",
            "To work under a lock, use `tower guard X -- CMD` or `tower lock X`; to see it, `tower locks X`."),
        of("exists", "tower exists prod"), of("why", "tower why prod"),
        of("force-release", "tower force-release prod --reason 'host vm2 was scrapped'"),
        of("fence", "tower fence prod --token 7"),
        of("freeze", "tower freeze prod --ttl 30m --reason 'database migration'"),
        of("unfreeze", "tower unfreeze prod"));
  }

  private static List<Page> guards() {
    return List.of(of("guard", "tower guard prod --wait 10m -- ./deploy.sh shop",
        "Guards of the same actor and request id share the lock.", EITHER_FORCE));
  }

  private static List<Page> tasks() {
    return List.of(
        of("task create", "tower task create 'Fix the login' --agent ann --request-id r1 --priority 5", AGENT),
        of("task claim", "tower task claim --agent builder-1 --request-id r2",
            "Exit code 3 if no task is available.", AGENT),
        of("task resume", "tower task resume --agent builder-1 --request-id r3",
            "Exit code 3 if no task is available.", AGENT),
        of("task start", "tower task start t1 --agent builder-1 --request-id r4", AGENT),
        of("task heartbeat", "tower task heartbeat t1 --agent builder-1 --request-id r5", AGENT),
        of("task close", "tower task close t1 --outcome done --agent builder-1 --request-id r6", AGENT),
        of("task release", "tower task release t1 --agent builder-1 --request-id r7", AGENT),
        of("task gc", "tower task gc --agent builder-1 --request-id r8", AGENT),
        of("task list", "tower task list --status pending"), of("task get", "tower task get t1"),
        of("task events", "tower task events t1 --follow"),
        of("task work", "tower task work --agent builder-1 --follow -- ./agent.sh", AGENT));
  }

  private static List<Page> mailboxes() {
    return List.of(of("mailbox send", "tower mailbox send reviews '{\"pr\": 7}'"),
        of("mailbox receive", "tower mailbox receive reviews --wait 1m", "Exit code 3 if no message is available."),
        of("mailbox ack", "tower mailbox ack reviews m1/r1"),
        of("mailbox nack", "tower mailbox nack reviews m1/r1 --delay 30s --error 'no reviewer'"),
        of("mailbox extend", "tower mailbox extend reviews m1/r1 --visibility 5m"),
        of("mailbox reply", "tower mailbox reply reviews m1/r1 approved"),
        of("mailbox reject", "tower mailbox reject reviews m1/r1 --error 'no such pull request'"),
        of("mailbox count", "tower mailbox count reviews"), of("mailbox purge", "tower mailbox purge reviews"),
        of("mailbox dead", "tower mailbox dead reviews --revive"));
  }

  private static List<Page> otherTools() {
    return List.of(of("exclusive", "tower exclusive check /srv/project/.beads",
        "It speaks the protocol of beads only. Intents also respect flock, pid files and Terraform."));
  }

  private static List<Page> service() {
    return List.of(of("serve", "tower serve --port 8080"),
        of("token create", "tower token create ci --role agent --intents 'deploy-*' --expires 90d"),
        of("token list", "tower token list"), of("token revoke", "tower token revoke ci"),
        of("hosts", "tower hosts"));
  }

  private static List<Page> home() {
    return List.of(of("demo", "tower demo"), of("init", "tower init /srv/tower"), of("home", "tower home"), of("doctor", "tower doctor"),
        of("audit", "tower audit --since 8h --event lock_stolen"), of("prime", "tower prime"),
        of("gc", "tower gc --dry-run"), of("version", "tower version"),
        of("completion", "tower completion bash"));
  }

  private static Topic exitCodes() {
    return new Topic("exit-codes", "the exit codes", List.of("code", "meaning"),
        Exit.table().stream().map(it -> List.of(it.code(), it.meaning())).toList());
  }

  private static Topic environment() {
    return new Topic("environment", "the environment variables", List.of("variable", "for", "meaning"),
        Stream.concat(
            Environment.table().stream().map(it -> List.of(it.name(), it.use().toString(), it.meaning())),
            Settings.ALL.stream().filter(it -> it != Settings.HOME)
                .map(it -> List.of(it.variable(), "setting " + it.key(), it.help())))
            .toList());
  }

  /** Words of other tools, in the order in which a person would try what they stand for. */
  private static Map<String, List<String>> synonyms() {
    return Map.ofEntries(Map.entry("release", List.of("unlock", "force-release", "task release")),
        Map.entry("acquire", List.of("lock", "guard")), Map.entry("take", List.of("lock", "task claim")),
        Map.entry("renew", List.of("heartbeat")), Map.entry("extend", List.of("heartbeat", "mailbox extend")),
        Map.entry("rm", List.of("force-release")), Map.entry("delete", List.of("force-release", "token revoke")),
        Map.entry("steal", List.of("lock", "force-release")), Map.entry("ls", List.of("locks", "runs", "intents")),
        Map.entry("list", List.of("locks", "runs", "intents")), Map.entry("show", List.of("locks", "runs")),
        Map.entry("ps", List.of("runs", "locks")), Map.entry("history", List.of("runs", "audit")),
        Map.entry("log", List.of("audit", "runs")), Map.entry("logs", List.of("audit", "runs")),
        Map.entry("start", List.of("run", "serve", "task start")), Map.entry("exec", List.of("guard", "run")),
        Map.entry("apply", List.of("run", "plan")), Map.entry("deploy", List.of("run")),
        Map.entry("kill", List.of("cancel")), Map.entry("stop", List.of("cancel")),
        Map.entry("abort", List.of("cancel")),
        Map.entry("server", List.of("serve")), Map.entry("daemon", List.of("serve")),
        Map.entry("health", List.of("doctor")), Map.entry("lint", List.of("validate")),
        Map.entry("explain", List.of("why")), Map.entry("events", List.of("audit", "task events")),
        Map.entry("login", List.of("token create")), Map.entry("agents", List.of("prime")),
        Map.entry("task done", List.of("task close")), Map.entry("task complete", List.of("task close")),
        Map.entry("task finish", List.of("task close")), Map.entry("task add", List.of("task create")),
        Map.entry("task new", List.of("task create")), Map.entry("task ls", List.of("task list")),
        Map.entry("task show", List.of("task get")), Map.entry("task next", List.of("task claim")),
        Map.entry("mailbox list", List.of("mailbox count")), Map.entry("mailbox ls", List.of("mailbox count")),
        Map.entry("mailbox post", List.of("mailbox send")), Map.entry("mailbox read", List.of("mailbox receive")),
        Map.entry("token new", List.of("token create")), Map.entry("token delete", List.of("token revoke")),
        Map.entry("token rm", List.of("token revoke")), Map.entry("token ls", List.of("token list")));
  }
}
