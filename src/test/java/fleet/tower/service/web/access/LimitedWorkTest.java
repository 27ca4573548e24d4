package fleet.tower.service.web.access;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

/** Three agents: {@code lim} and {@code wide} are limited, {@code bob} is not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("A token that is limited to mailboxes and projects uses no others, over HTTP and MCP")
class LimitedWorkTest {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";
  private static final String MAIL_REFUSED = "'lim' may use the mailboxes jobs-*, but not 'mail'";
  private static final String TASK_REFUSED = "'lim' may work on tasks of the projects web, but not ";

  @AutoClose
  private TestService service;
  private int requests;

  /** A call over HTTP. */
  private record Http(String method, String path, String body) {}

  /** A call of a tool. */
  private record Tool(String name, String arguments) {}

  @BeforeAll
  void start(@TempDir Path home) {
    TestTokens.write(home, entry("lim", "agent", "mailboxes: ['jobs-*']\ntasks: [web]\n")
        + entry("wide", "agent", "tasks: ['web-*', shop]\n") + entry("bob", "agent", ""));
    service = new TestService(home);
  }

  private Answer as(String token, Http call) {
    return service.callAs(tokenOf(token), call.method(), call.path(), call.body());
  }

  private Answer as(String token, String method, String path, String body) {
    return as(token, new Http(method, path, body));
  }

  private Answer as(String token, Tool tool) {
    return service.callAs(tokenOf(token), "POST", "/mcp",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool.name()
            + "\",\"arguments\":{" + tool.arguments() + "}," + META + "}}",
        "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool.name());
  }

  private Answer task(String token, String path, String members) {
    return as(token, task(path, members));
  }

  private Http task(String path, String members) {
    return new Http("POST", "/tasks" + path,
        "{\"agent\":\"a\",\"request_id\":\"r" + ++requests + "\"" + members + "}");
  }

  /** Has an unlimited agent create a task. */
  private void make(String id, String project, int priority) {
    assertThat(task("bob", "", ",\"id\":\"" + id + "\",\"title\":\"T\",\"priority\":" + priority
        + (project.isEmpty() ? "" : ",\"project\":\"" + project + "\"")).status()).isEqualTo(201);
  }

  private String receipt(String token, String mailbox) {
    return as(token, "POST", "/mailboxes/" + mailbox + "/receive", "{}").body()
        .replaceAll("(?s).*\"receipt_handle\":\"([^\"]*)\".*", "$1");
  }

  private List<JsonObject> refusals(String reason) {
    try {
      return JsonReader.readObject(service.get("/audit?event=access_denied&limit=10000").body()).objects("events")
          .stream().filter(event -> event.text("reason").orElse("").equals(reason)).toList();
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertForbidden(Answer answer, String reason, String detail) {
    assertThat(answer.body()).contains("\"error\":\"forbidden\"", "\"reason\":\"" + reason + "\"",
        "\"detail\":\"" + detail);
    assertThat(answer.status()).isEqualTo(403);
  }

  /** The paths of the OpenAPI document that match, and one that is named for each call. */
  private void assertEveryPath(List<Http> calls, String from, String pattern) {
    TreeSet<String> called = new TreeSet<>();
    calls.forEach(call -> called.add(call.method().toLowerCase(java.util.Locale.ROOT) + " "
        + call.path().replaceAll(from, "/{}").replaceAll("waiters/r1", "waiters/{}")));
    TreeSet<String> documented = new TreeSet<>();
    try {
      JsonObject paths = JsonReader.readObject(service.get("/v3/api-docs").body()).object("paths").orElseThrow();
      paths.members().forEach((path, value) -> ((JsonObject) value).members().keySet().stream()
          .filter(List.of("get", "post", "delete", "put")::contains)
          .map(method -> method + " " + path.replaceAll("\\{[^}]*}", "{}"))
          .filter(call -> call.matches(pattern)).forEach(documented::add));
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
    assertThat(called).isEqualTo(documented);
  }

  @Test
  @DisplayName("Every call about another mailbox is refused and audited, and changes nothing; its counts are visible")
  void otherMailboxes() {
    as("bob", "POST", "/mailboxes/mail/messages", "{\"body\":1}");
    as("bob", "POST", "/mailboxes/mail/messages", "{\"body\":2}");
    String dead = "{\"receipt_handle\":\"" + receipt("bob", "mail") + "\"";
    as("bob", "POST", "/mailboxes/mail/reject", dead + ",\"error\":\"e\"}");
    String receipt = "{\"receipt_handle\":\"" + receipt("bob", "mail") + "\"";
    String before = service.get("/mailboxes/mail").body() + service.get("/mailboxes/mail/dead").body();
    List<Http> calls = List.of(new Http("POST", "/mailboxes/mail/messages", "{\"body\":1}"),
        new Http("POST", "/mailboxes/mail/receive", "{}"), new Http("POST", "/mailboxes/mail/ack", receipt + "}"),
        new Http("POST", "/mailboxes/mail/nack", receipt + "}"),
        new Http("POST", "/mailboxes/mail/reject", receipt + ",\"error\":\"e\"}"),
        new Http("POST", "/mailboxes/mail/extend", receipt + "}"),
        new Http("POST", "/mailboxes/mail/reply", receipt + ",\"body\":1}"),
        new Http("DELETE", "/mailboxes/mail/waiters/r1", ""), new Http("DELETE", "/mailboxes/mail/messages", ""),
        new Http("GET", "/mailboxes/mail/dead", ""), new Http("DELETE", "/mailboxes/mail/dead", ""),
        new Http("POST", "/mailboxes/mail/dead/revive", "{}"));
    assertEveryPath(calls, "/mail(?=/)", "\\w+ /mailboxes/\\{}/.*");

    int audited = refusals("mailbox_not_allowed").size();
    calls.forEach(call -> assertForbidden(as("lim", call), "mailbox_not_allowed", MAIL_REFUSED));
    assertForbidden(as("lim", "POST", "/mailboxes/jobs-1/messages", "{\"body\":1,\"reply_to\":\"mail\"}"),
        "mailbox_not_allowed", MAIL_REFUSED);
    assertThat(refusals("mailbox_not_allowed")).hasSize(audited + calls.size() + 1);

    assertThat(service.get("/mailboxes/mail").body() + service.get("/mailboxes/mail/dead").body()).isEqualTo(before);
    assertThat(as("lim", "GET", "/mailboxes", "").body()).contains("\"mail\"");
    assertThat(as("lim", "GET", "/mailboxes/mail", "").status()).isEqualTo(200);
    assertThat(service.callAs(tokenOf("lim"), "GET", "/mailboxes/jobs-1/dead", "").status()).isEqualTo(200);
  }

  @Test
  @DisplayName("The tools about another mailbox are refused and audited, too")
  void otherMailboxesOverMcp() {
    as("bob", "POST", "/mailboxes/mail/messages", "{\"body\":1}");
    String settle = "\"mailbox\":\"mail\",\"receipt_handle\":\"" + receipt("bob", "mail") + "\",\"action\":";
    String before = service.get("/mailboxes/mail").body();
    List<Tool> calls = List.of(new Tool("send_message", "\"mailbox\":\"mail\",\"body\":1"),
        new Tool("send_message", "\"mailbox\":\"jobs-1\",\"body\":1,\"reply_to\":\"mail\""),
        new Tool("receive_message", "\"mailbox\":\"mail\""), new Tool("settle_message", settle + "\"ack\""),
        new Tool("settle_message", settle + "\"nack\""),
        new Tool("settle_message", settle + "\"reject\",\"error\":\"e\""),
        new Tool("settle_message", settle + "\"extend\""),
        new Tool("settle_message", settle + "\"reply\",\"body\":1"));
    int audited = refusals("mailbox_not_allowed").size();

    calls.forEach(call -> assertThat(as("lim", call).body()).contains(MAIL_REFUSED, "mailbox_not_allowed"));

    assertThat(refusals("mailbox_not_allowed")).hasSize(audited + calls.size()).last()
        .satisfies(event -> assertThat(event.text("tool")).hasValue("settle_message"));
    assertThat(service.get("/mailboxes/mail").body()).isEqualTo(before);
  }

  @Test
  @DisplayName("Its own mailboxes it uses freely, and replies where an unlimited sender expects the reply")
  void ownMailboxes() {
    assertThat(as("lim", "POST", "/mailboxes/jobs-2/messages", "{\"body\":1,\"reply_to\":\"jobs-3\"}").status())
        .isEqualTo(201);
    assertThat(as("lim", new Tool("receive_message", "\"mailbox\":\"jobs-2\"")).body())
        .contains(" is yours until ", "; jobs-3 expects the reply");
    assertThat(as("lim", "DELETE", "/mailboxes/jobs-2/messages", "").status()).isEqualTo(200);
    as("bob", "POST", "/mailboxes/jobs-2/messages", "{\"body\":1,\"reply_to\":\"answers\"}");
    assertThat(as("lim", "POST", "/mailboxes/jobs-2/reply",
        "{\"receipt_handle\":\"" + receipt("lim", "jobs-2") + "\",\"body\":1}").status()).isEqualTo(200);
    assertThat(as("wide", "DELETE", "/mailboxes/answers/messages", "").body()).as("without a list, any mailbox")
        .contains("\"purged\":1");
  }

  @Test
  @DisplayName("Every change of a task of another project, or of none, is refused and audited; reading is not")
  void otherTasks() {
    make("other", "shop", 0);
    make("none", "", 0);
    task("bob", "/other/start", "");
    String before = service.get("/tasks/other").body() + service.get("/tasks/none").body();
    List<Http> calls = List.of(task("", ",\"title\":\"T\",\"project\":\"shop\""),
        task("/claim", ",\"project\":\"shop\""),
        task("/resume", ",\"project\":\"shop\""), task("/other/start", ""), task("/other/heartbeat", ""),
        task("/other/close", ",\"outcome\":\"done\""), task("/other/release", ""));
    assertEveryPath(calls, "/other(?=/)", "post /tasks(?!/gc).*");

    int audited = refusals("task_not_allowed").size();
    calls.forEach(call -> assertForbidden(as("lim", call), "task_not_allowed", TASK_REFUSED + "of 'shop'"));
    assertForbidden(task("lim", "/none/start", ""), "task_not_allowed", TASK_REFUSED + "on one of no project");
    assertThat(as("lim", new Tool("claim_task", "\"task_id\":\"none\"")).body()).contains("task_not_allowed");
    assertThat(as("lim", new Tool("claim_task", "\"project\":\"shop\"")).body()).contains("task_not_allowed");
    assertThat(as("lim", new Tool("renew_task", "\"task_id\":\"other\"")).body()).contains("task_not_allowed");
    assertThat(as("lim", new Tool("close_task", "\"task_id\":\"other\",\"outcome\":\"release\"")).body())
        .contains("task_not_allowed");
    assertThat(refusals("task_not_allowed")).hasSize(audited + calls.size() + 5);

    assertThat(service.get("/tasks/other").body() + service.get("/tasks/none").body()).isEqualTo(before);
    assertThat(as("lim", "GET", "/tasks/other", "").status()).isEqualTo(200);
    assertThat(as("lim", "GET", "/tasks?project=shop", "").body()).contains("\"id\":\"other\"");
    assertThat(task("lim", "/gone/start", "").body()).contains("\"error\":\"task_not_found\"",
        "\"requested_by\":\"a\"");
  }

  @Test
  @DisplayName("Without a project a call means the only one that the token allows; with several or a pattern it names one")
  void withoutProject() {
    make("tempting", "shop", 100);
    assertThat(task("lim", "", ",\"id\":\"mine\",\"title\":\"T\"").body()).contains("\"project\":\"web\"");
    assertThat(task("lim", "/claim", "").body()).contains("\"id\":\"mine\"", "\"standing\":\"held\"");
    assertThat(task("lim", "/mine/heartbeat", "").status()).isEqualTo(200);
    assertThat(task("lim", "/resume", "").body()).contains("\"id\":\"mine\"");
    assertThat(task("lim", "/mine/release", "").status()).isEqualTo(200);
    assertThat(as("lim", new Tool("claim_task", "\"agent\":\"a\"")).body()).contains("task mine is claimed by a ");
    assertThat(task("lim", "/mine/close", ",\"outcome\":\"done\"").status()).isEqualTo(200);
    assertThat(task("lim", "/claim", "").body()).contains("\"task\":null");

    String detail = "'wide' may work on tasks of the projects web-*, shop; name one of them as 'project'";
    assertForbidden(task("wide", "", ",\"title\":\"T\""), "task_not_allowed", detail);
    assertForbidden(task("wide", "/claim", ""), "task_not_allowed", detail);
    assertForbidden(task("wide", "/resume", ""), "task_not_allowed", detail);
    assertThat(task("wide", "/claim", ",\"project\":\"shop\"").body()).contains("\"id\":\"tempting\"");
    assertThat(task("wide", "/tempting/close", ",\"outcome\":\"done\"").status()).isEqualTo(200);
    assertThat(task("wide", "", ",\"title\":\"T\",\"project\":\"web-1\"").status()).isEqualTo(201);
  }
}
