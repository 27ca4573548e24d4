package fleet.tower.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;

/** Half of the tasks are done in each theme, on which none of them depends; {@link PagesTest} checks both themes. */
@DisplayName("The tasks of an operator, by keyboard alone")
class OperatorTasksTest extends ConsoleTest {
  private static final String LONG_LOG = "20000";

  /** Opens the page that is open all day, as an operator. */
  private ConsoleTab operator(ColorScheme theme) {
    ConsoleTab tab = tab(home.url(), theme);
    tab.open("/console/", ConsoleHome.OPERATOR);
    tab.arrive("Now");
    return tab;
  }

  @Test
  @DisplayName("Find out why a run is blocked, and by whom")
  void blocked() {
    String app = "billing";
    String holder = "first";
    String waiter = "second";
    home.deploy(ConsoleHome.AGENT, app, holder);
    home.submit(ConsoleHome.OPERATOR, "deploy", "{\"app\":\"" + app + "\"}", waiter, ",\"wait_seconds\":600");
    ConsoleTab tab = operator(ColorScheme.LIGHT);

    tab.use(AriaRole.LINK, Pattern.compile(".*" + waiter + ".*"));

    tab.arrive("deploy");
    assertThat(tab.main()).containsText("Waits for lock " + app + "-staging");
    assertThat(tab.main()).containsText("Place 1");
    assertThat(tab.main()).containsText("Held by ada");
    tab.use(AriaRole.LINK, Pattern.compile("^deploy " + holder));
    assertThat(tab.main()).containsText("switch");
    assertThat(tab.main()).containsText("running");

    home.finish(app);
    assertThat(tab.main()).containsText("succeeded");
    assertThat(home.ended(waiter)).isEqualTo("succeeded");
  }

  @Test
  @DisplayName("Run an intent whose lock is held, and wait for it")
  void waitInLine() {
    String app = "mail";
    home.deploy(ConsoleHome.AGENT, app, "holder");
    ConsoleTab tab = operator(ColorScheme.DARK);
    tab.press("g", "i");
    tab.arrive("Intents");
    tab.use(AriaRole.LINK, "deploy");
    tab.arrive("deploy");
    tab.reach(AriaRole.TEXTBOX, Pattern.compile("^app.*"));
    tab.type(app);
    tab.reach(AriaRole.COMBOBOX, "If the lock is held");
    tab.type("wait up to 10");
    tab.use(AriaRole.BUTTON, Pattern.compile("^Run\\s+deploy$"));

    assertThat(tab.main()).containsText("Place 1");
    assertThat(tab.main()).containsText("Held by ada");
    home.finish(app);
    assertThat(tab.main()).containsText("succeeded");
    String id = tab.page().url().replaceFirst(".*/", "");
    assertThat(home.service.get("/runs/" + id).body()).contains("\"status\":\"succeeded\"", "\"actor\":\"olga\"");
  }

  @Test
  @DisplayName("Run an intent with a wrong value, which its field explains, then with a right one")
  void wrongValue() {
    expectRefusals("400 POST /intents/deploy/plan");
    String app = "kiosk";
    home.finish(app);
    ConsoleTab tab = operator(ColorScheme.LIGHT);
    tab.open("/console/intents/deploy");
    tab.arrive("deploy");
    Locator field = tab.reach(AriaRole.TEXTBOX, Pattern.compile("^app.*"));
    tab.type("Kiosk!");
    tab.use(AriaRole.BUTTON, Pattern.compile("^Run\\s+deploy$"));

    assertThat(field).isFocused();
    assertThat(field).hasAttribute("aria-invalid", "true");
    assertThat(tab.main()).containsText("must match [a-z][a-z0-9-]*");
    tab.replace(app);
    assertThat(field).hasAttribute("aria-invalid", "false");
    assertThat(tab.main()).containsText(app + "-staging");
    tab.press("Enter");

    assertThat(tab.page()).hasURL(Pattern.compile(".*/console/runs/.+"));
    assertThat(tab.main()).containsText("succeeded");
    assertThat(home.service.get("/runs?lock_name=" + app + "-staging").body()).as("one run, with the right value")
        .containsOnlyOnce("\"request_id\"");
  }

  @Test
  @DisplayName("Follow the queue of an agent: a task is created, claimed and closed while the page is open")
  void queue() {
    String agent = "ann";
    String task = "parser";
    String by = "{\"agent\":\"" + agent + "\",\"request_id\":\"%s-" + task + "\"";
    ConsoleTab tab = operator(ColorScheme.DARK);
    tab.press("g", "t");
    tab.arrive("Tasks");
    home.call(ConsoleHome.OPERATOR, "POST", "/tasks", by.formatted("create") + ",\"id\":\"" + task
        + "\",\"title\":\"Port the " + task + "\",\"assigned_to\":\"" + agent + "\"}");
    assertThat(rowOf(tab, "Pending", task)).isVisible();
    tab.reach(AriaRole.COMBOBOX, "Agent");
    tab.type(agent);
    tab.arrive("Tasks of " + agent);
    home.call(ConsoleHome.OPERATOR, "POST", "/tasks/claim", by.formatted("claim") + "}");
    assertThat(rowOf(tab, "Claimed", task)).containsText(agent);
    home.call(ConsoleHome.OPERATOR, "POST", "/tasks/" + task + "/close", by.formatted("close")
        + ",\"attempt\":1,\"outcome\":\"done\"}");
    assertThat(rowOf(tab, "Claimed", task)).hasCount(0);
    assertThat(rowOf(tab, "Completed", task)).isVisible();
    tab.use(AriaRole.LINK, "Port the " + task);
    tab.arrive("Port the " + task);
    assertThat(tab.main()).containsText("completed");
  }

  private static Locator rowOf(ConsoleTab tab, String table, String text) {
    return tab.find(AriaRole.TABLE, Pattern.compile("^" + table)).getByRole(AriaRole.ROW)
        .filter(new Locator.FilterOptions().setHasText(text));
  }

  @Test
  @DisplayName("Cancel a run in two steps")
  void cancel() {
    String app = "search";
    String id = "runaway";
    home.deploy(ConsoleHome.AGENT, app, id);
    ConsoleTab tab = operator(ColorScheme.LIGHT);
    tab.press("g", "r");
    tab.arrive("Runs");
    tab.use(AriaRole.LINK, Pattern.compile(".*" + id + ".*"));
    tab.arrive("deploy");

    tab.use(AriaRole.BUTTON, "Cancel the run");
    assertThat(tab.page().getByRole(AriaRole.DIALOG)).containsText("the lock is released");
    tab.press("Escape");
    assertThat(tab.page().getByRole(AriaRole.DIALOG)).hasCount(0);
    assertThat(home.status(id)).isEqualTo("running");
    tab.use(AriaRole.BUTTON, "Cancel the run");
    tab.use(AriaRole.BUTTON, "Cancel " + id);

    assertThat(tab.main()).containsText("cancelled");
    assertThat(home.ended(id)).isEqualTo("cancelled");
    assertThat(home.service.get("/audit?request_id=" + id).body()).contains("\"door\":\"console\"");
  }

  @Test
  @DisplayName("Take over a stale lock, with a reason")
  void takeOver() {
    expectRefusals("404 GET /(locks/ledger|runs/req_old)");
    String name = "ledger";
    home.staleLock(name);
    ConsoleTab tab = operator(ColorScheme.DARK);
    tab.press("g", "l");
    tab.arrive("Locks");
    tab.press("/");
    tab.type(name);
    tab.use(AriaRole.LINK, name);
    tab.arrive(name);
    assertThat(tab.main()).containsText("Stale: held by bob");

    tab.use(AriaRole.BUTTON, "Take over…");
    tab.reach(AriaRole.TEXTBOX, Pattern.compile("Reason.*"));
    tab.type("bob's host burnt down");
    tab.use(AriaRole.BUTTON, "Take over " + name);

    assertThat(tab.main()).containsText("You hold this lock");
    String audit = home.audit(name);
    assertThat(audit).contains("\"event\":\"lock_stolen\"", "\"reason\":\"bob's host burnt down\"",
        "\"door\":\"console\"", "\"actor\":\"olga\"", "\"previous_lock_hash\":\"sha256:");
    tab.use(AriaRole.BUTTON, "Release it");
    tab.use(AriaRole.BUTTON, "Release " + name);
    assertThat(tab.main()).containsText("You released " + name);
    assertThat(home.service.get("/locks/" + name).status()).isEqualTo(404);
  }

  @Test
  @DisplayName("See a halt in force on the page Now, and lift it")
  void halt() {
    home.call(ConsoleHome.OPERATOR, "PUT", "/halts/night",
        "{\"actors\":[\"night-*\"],\"locks\":[\"db-*\"],\"level\":\"drain\",\"reason\":\"incident 7\"}");
    ConsoleTab tab = operator(ColorScheme.LIGHT);
    assertThat(tab.main()).containsText("Halt night");
    assertThat(tab.main())
        .containsText("“incident 7”. Level drain; it covers actors night-*, locks db-*, until it is lifted.");

    tab.use(AriaRole.BUTTON, "Lift the halt…");
    tab.use(AriaRole.BUTTON, "Lift halt night");

    assertThat(tab.main()).not().containsText("Halt night");
    assertThat(home.service.get("/halts").body()).doesNotContain("night");
  }

  @Test
  @DisplayName("Freeze a name, and lift the freeze")
  void freeze() {
    expectRefusals("404 GET /locks/warehouse");
    String name = "warehouse";
    ConsoleTab tab = operator(ColorScheme.LIGHT);
    tab.open("/console/locks/" + name);
    tab.arrive(name);

    tab.use(AriaRole.BUTTON, "Freeze…");
    tab.use(AriaRole.BUTTON, "Freeze " + name);
    assertThat(tab.page().getByRole(AriaRole.DIALOG)).hasCount(1);
    assertThat(home.service.get("/freezes").body()).as("a reason is required").doesNotContain(name);
    tab.reach(AriaRole.TEXTBOX, Pattern.compile("Reason.*"));
    tab.type("stocktaking");
    tab.press("Enter");

    assertThat(tab.main()).containsText("Frozen by olga");
    assertThat(tab.main()).containsText("stocktaking");
    assertThat(home.service.get("/freezes").body()).contains("\"" + name + "\"", "\"reason\":\"stocktaking\"");
    assertThat(home.audit(name)).contains("\"door\":\"console\"");
    tab.use(AriaRole.BUTTON, "Lift the freeze…");
    tab.use(AriaRole.BUTTON, "Lift the freeze of " + name);
    assertThat(tab.main()).containsText("The freeze of " + name + " is lifted");
    assertThat(tab.main()).containsText("Free: no request holds it");
    assertThat(home.service.get("/freezes").body()).doesNotContain(name);
  }

  @Test
  @DisplayName("Read the end of a long log, then its beginning, and search it")
  void longLog() {
    String id = "rows";
    home.submit(ConsoleHome.AGENT, "import", "{\"rows\":" + LONG_LOG + "}", id, "");
    assertThat(home.ended(id)).isEqualTo("succeeded");
    ConsoleTab tab = operator(ColorScheme.DARK);
    tab.open("/console/runs/" + id);
    tab.arrive("import");

    Locator log = tab.page().getByRole(AriaRole.LOG);
    tab.reach(log);
    assertThat(line(log, "row 20000 is imported")).isInViewport();
    tab.press("Home");
    assertThat(line(log, "row 1 is imported")).isInViewport();
    tab.press("End");
    assertThat(line(log, "row 20000 is imported")).isInViewport();
    tab.reach(tab.page().getByPlaceholder("Search the output"));
    tab.type("row 7777 is");
    tab.press("Enter");
    assertThat(line(log, "row 7777 is imported")).isInViewport();
    assertThat(tab.page().locator("[data-at]").count()).isLessThanOrEqualTo(2_000);

    assertThat(tab.page()).hasURL(Pattern.compile(".*/console/runs/" + id + "#rows@\\d+$"));
    ConsoleTab other = tab(home.url(), ColorScheme.DARK);
    other.open(tab.page().url().substring(home.url().length()), ConsoleHome.VIEWER);
    Locator otherLog = other.page().getByRole(AriaRole.LOG);
    other.reach(otherLog);
    assertThat(line(otherLog, "row 7777 is imported")).isInViewport();
    assertThat(line(otherLog, "row 7777 is imported")).hasAttribute("aria-current", "location");
  }

  private static Locator line(Locator log, String text) {
    return log.locator("[data-at]").filter(new Locator.FilterOptions().setHasText(Pattern.compile("^" + text + "$")));
  }
}
