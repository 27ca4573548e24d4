package fleet.tower.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.cli.shell.Environment;
import fleet.tower.cli.shell.ExitCodes;
import fleet.tower.cli.shell.Manual;
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

  private static List<Manual.Page> runs() {
    return List.of(page("run", "tower run deploy-app -p app=shop --wait 10m", EITHER_FORCE),
        page("plan", "tower plan deploy-app -p app=shop"), page("probe", "tower probe deploy-app -p app=shop",
            "Exit code 3 if the state is unknown."),
        page("intents", "tower intents deploy-app"),
        page("validate", "tower validate intents/deploy-app.yaml"), page("policy", "tower policy --test request.json"),
        page("runs", "tower runs req_4f2a --follow"),
        page("wait", "tower wait req_4f2a --timeout 10m", "It exits as `tower run` does for that run."),
        page("cancel", "tower cancel req_4f2a"),
        page("settle", "tower settle req_4f2a",
            "It answers applied, not_applied, or unknown, with exit code 3: as long as its processes may still act, or if",
            "the state is neither the desired one nor that before the run. An answer releases its lock."),
        page("beat", "tower beat",
            "It reports progress of a run. To renew a lock of `tower lock`, use `tower heartbeat`."),
        page("approvals", "tower approvals --state open"),
        page("approve", "tower approve req_4f2a --plan-hash 50ad86d7aa2f --reason 'looked at it'",
            "It needs the right: `tower token create --approve`; on the files of a home, its user has it.",
            "With --for, later runs with the same plan need no new vote; `tower reject` revokes that."),
        page("reject", "tower reject req_4f2a --reason 'not on a Friday'"));
  }

  private static List<Manual.Page> locks() {
    return List.of(
        page("lock", "tower lock prod --ttl 15m --wait 10m",
            "No process renews the lock: call `tower heartbeat` in time, or use `tower guard`.", EITHER_FORCE),
        page("heartbeat", "tower heartbeat prod --request-id req_4f2a",
            "It renews a lock of `tower lock`. To report progress of a run, use `tower beat`."),
        page("unlock", "tower unlock prod --request-id req_4f2a"), page("locks", "tower locks prod"),
        page("check", "tower check prod",
            "Never use it as a condition: `check X && deploy` deploys if X is stale, and X may change in between.",
            "To work under a lock, use `tower guard X -- CMD` or `tower lock X`; to see it, `tower locks X`."),
        page("exists", "tower exists prod"), page("why", "tower why prod"),
        page("force-release", "tower force-release prod --reason 'host vm2 was scrapped'"),
        page("fence", "tower fence prod --token 7"),
        page("freeze", "tower freeze prod --ttl 30m --reason 'database migration'"),
        page("unfreeze", "tower unfreeze prod"),
        page("halt", "tower halt bots --actor 'claude-*' --level drain --reason 'wrong release'"),
        page("unhalt", "tower unhalt bots"), page("halts", "tower halts"));
  }

  private static List<Manual.Page> guards() {
    return List.of(page("guard", "tower guard prod --wait 10m -- ./deploy.sh shop",
        "Guards of the same actor and request id share the lock.", EITHER_FORCE));
  }

  private static List<Manual.Page> tasks() {
    return List.of(
        page("task create", "tower task create 'Fix the login' --agent ann --request-id r1 --priority 5", AGENT),
        page("task claim", "tower task claim --agent builder-1 --request-id r2",
            "Exit code 3 if no task is available.", AGENT),
        page("task resume", "tower task resume --agent builder-1 --request-id r3",
            "Exit code 3 if no task is available.", AGENT),
        page("task start", "tower task start t1 --agent builder-1 --request-id r4", AGENT),
        page("task heartbeat", "tower task heartbeat t1 --agent builder-1 --request-id r5", AGENT),
        page("task close", "tower task close t1 --outcome done --agent builder-1 --request-id r6", AGENT),
        page("task release", "tower task release t1 --agent builder-1 --request-id r7", AGENT),
        page("task gc", "tower task gc --agent builder-1 --request-id r8", AGENT),
        page("task list", "tower task list --status pending"), page("task get", "tower task get t1"),
        page("task events", "tower task events t1 --follow"),
        page("task work", "tower task work --agent builder-1 --follow -- ./agent.sh", AGENT));
  }

  private static List<Manual.Page> mailboxes() {
    return List.of(page("mailbox send", "tower mailbox send reviews '{\"pr\": 7}'"),
        page("mailbox receive", "tower mailbox receive reviews --wait 1m", "Exit code 3 if no message is available."),
        page("mailbox ack", "tower mailbox ack reviews m1/r1"),
        page("mailbox nack", "tower mailbox nack reviews m1/r1 --delay 30s --error 'no reviewer'"),
        page("mailbox extend", "tower mailbox extend reviews m1/r1 --visibility 5m"),
        page("mailbox reply", "tower mailbox reply reviews m1/r1 approved"),
        page("mailbox reject", "tower mailbox reject reviews m1/r1 --error 'no such pull request'"),
        page("mailbox count", "tower mailbox count reviews"), page("mailbox purge", "tower mailbox purge reviews"),
        page("mailbox dead", "tower mailbox dead reviews --revive"));
  }

  private static List<Manual.Page> otherTools() {
    return List.of(page("exclusive", "tower exclusive check /srv/project/.beads",
        "It speaks the protocol of beads only. Intents also respect flock, pid files and Terraform."));
  }

  private static List<Manual.Page> service() {
    return List.of(page("serve", "tower serve --port 8080"),
        page("token create",
            "tower token create ci --role agent --intent 'deploy-*' --param environment=staging --expires 90d"),
        page("token rotate", "tower token rotate ci --overlap 24h"),
        page("token list", "tower token list"), page("token revoke", "tower token revoke ci"),
        page("hosts", "tower hosts"),
        page("mcp", "tower mcp --home /srv/tower",
            "Messages are lines of JSON; warnings go to stderr. On the files of a home, this process executes the runs.",
            "When stdin ends, waits end, runs that have started continue, and the process exits after the last one.",
            "SIGTERM and SIGINT cancel its runs, roll them back and release their locks, as with `tower run`.",
            "A client that kills its servers soon after it closes stdin should use a service, which outlives it.",
            "`tower mcp install` prints the configuration of a client."),
        page("mcp install", "tower mcp install claude",
            "The token is never printed: with --server, the client reads it from TOWER_TOKEN; VS Code asks for it."));
  }

  private static List<Manual.Page> home() {
    return List.of(page("demo", "tower demo"), page("init", "tower init /srv/tower"), page("home", "tower home"),
        page("settings", "tower settings", "Passwords in URLs are not shown."),
        page("move", "tower move --to 'jdbc:postgresql://db/tower?user=tower' --dry-run",
            "Run it on the host of the home, with the settings that the home has now.",
            "Afterwards set tower.database.url in config/application.yaml of the home."),
        page("doctor", "tower doctor"),
        page("audit", "tower audit --since 8h --event lock_stolen"), page("prime", "tower prime"),
        page("gc", "tower gc --dry-run"),
        page("migrate", "tower migrate --check",
            "Every command applies what is missing if its user may. Use it if only another user may create tables.",
            "A password in --url is visible to other users of this host: set TOWER_DATABASE_URL instead."),
        page("version", "tower version"),
        page("completion", "tower completion bash"));
  }

  private static Topic exitCodes() {
    return new Topic("exit-codes", "the exit codes", List.of("code", "meaning"),
        ExitCodes.table().stream().map(it -> List.of(it.code(), it.meaning())).toList());
  }

  private static Topic environment() {
    return new Topic("environment", "the environment variables", List.of("variable", "for", "meaning"),
        Stream.concat(
            Environment.table().stream().map(it -> List.of(it.name(), it.use().toString(), it.meaning())),
            Settings.ALL.stream().filter(it -> !it.equals(Settings.HOME))
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

  private static Manual.Page page(String command, String example, String... notes) {
    return Manual.Page.of(command, example, notes);
  }
}
