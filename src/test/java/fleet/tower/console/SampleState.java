package fleet.tower.console;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Something of everything that the pages show: runs, locks, freezes, tasks, messages. */
final class SampleState {
  private static final Pattern RECEIPT = Pattern.compile("\"receipt_handle\":\"([^\"]+)\"");

  private SampleState() {}

  static void create(ConsoleHome home) {
    home.submit(ConsoleHome.AGENT, "import", "{\"rows\":300}", "import-1", "");
    home.submit(ConsoleHome.AGENT, "check-disks", "{}", "disks-1", "");
    home.deploy(ConsoleHome.AGENT, "shop", "deploy-1");
    home.submit(ConsoleHome.OPERATOR, "deploy", "{\"app\":\"shop\"}", "deploy-2", ",\"wait_seconds\":3000");
    home.ended("import-1");
    home.ended("disks-1");
    home.staleLock("nightly-backup");
    home.call(ConsoleHome.OPERATOR, "POST", "/locks/switchboard",
        "{\"ttl_seconds\":3600,\"request_id\":\"by-hand-1\"}");
    home.call(ConsoleHome.OPERATOR, "PUT", "/freezes/wiki-production",
        "{\"ttl_seconds\":7200,\"reason\":\"the audit of the quarter\"}");
    tasks(home);
    messages(home);
  }

  private static void tasks(ConsoleHome home) {
    String by = "{\"agent\":\"%s\",\"request_id\":\"%s\"";
    home.call(ConsoleHome.AGENT, "POST", "/tasks", by.formatted("ada", "t1")
        + ",\"id\":\"parser\",\"title\":\"Port the parser\",\"project\":\"compiler\",\"assigned_to\":\"ann\"}");
    home.call(ConsoleHome.AGENT, "POST", "/tasks", by.formatted("ada", "t2")
        + ",\"id\":\"printer\",\"title\":\"Port the printer\",\"project\":\"compiler\",\"depends_on\":[\"parser\"]}");
    home.call(ConsoleHome.AGENT, "POST", "/tasks/parser/start", by.formatted("ann", "t3") + ",\"ttl_seconds\":3600}");
  }

  private static void messages(ConsoleHome home) {
    home.call(ConsoleHome.AGENT, "POST", "/mailboxes/orders/messages", "{\"body\":{\"order\":1}}");
    String received = home.call(ConsoleHome.AGENT, "POST", "/mailboxes/orders/receive", "{}").body();
    String receipt = RECEIPT.matcher(received).results().map((MatchResult it) -> it.group(1)).findFirst().orElseThrow();
    home.call(ConsoleHome.AGENT, "POST", "/mailboxes/orders/reject",
        "{\"receipt_handle\":\"" + receipt + "\",\"error\":\"no such article\"}");
    home.call(ConsoleHome.AGENT, "POST", "/mailboxes/orders/messages", "{\"body\":{\"order\":2}}");
  }
}
