package fleet.tower.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;

@DisplayName("The pages of locks, intents and the audit log")
@ProofsProfile
class LocksAndIntentsTest extends ConsoleTest {
  private static final String TTL = "{\"ttl_seconds\":600}";
  /** A page that has no overview yet, or shows an earlier one, reads a lock that is free. */
  private static final String RELEASED_MEANWHILE = "404 GET /locks/(cart-staging|depot|attic)";

  private ConsoleTab open(String path, String token) {
    ConsoleTab tab = tab(home.url());
    tab.open(path, token);
    return tab;
  }

  @Test
  @DisplayName("A lock is followed live: free, held by a run, awaited by name, released, with how long it was held")
  void live() {
    expectRefusals(RELEASED_MEANWHILE);
    ConsoleTab tab = open("/console/locks/cart-staging", ConsoleHome.VIEWER);
    assertThat(tab.main()).containsText("Free: no request holds it");

    home.deploy(ConsoleHome.AGENT, "cart", "first-1");
    assertThat(tab.main()).containsText("Held by ada for run first-1 (deploy)");
    home.submit(ConsoleHome.OPERATOR, "deploy", "{\"app\":\"cart\"}", "second-1", ",\"wait_seconds\":600");
    assertThat(tab.find(AriaRole.TABLE, Pattern.compile("Requests that wait for .*"))).containsText("olga");
    assertThat(tab.main()).containsText("1 request waits");

    home.finish("cart");
    assertThat(tab.main()).containsText("Free: no request holds it");
    assertThat(tab.row("first-1")).containsText("released");
    assertThat(tab.row("second-1")).containsText("released");
    assertThat(tab.main()).containsText("Over the 2 holdings below that ended");
  }

  @Test
  @DisplayName("The page of a lock that a run holds offers to wait with the intent of that run, and not with another one "
      + "that takes the lock; a page of a frozen lock offers each")
  void sameLock() {
    expectRefusals("404 GET /locks/till-staging");
    home.declare("a-check-of-the-till",
        "mode: mutate\ncontrols: { lock: till-staging }\nsteps: [{ name: look, run: [echo, ok] }]\n");
    home.deploy(ConsoleHome.AGENT, "till", "till-1");

    ConsoleTab tab = open("/console/locks/till-staging", ConsoleHome.OPERATOR);

    assertThat(tab.main()).containsText("Wait for it: run deploy and wait tower run deploy -p app=till --wait 10m");
    assertThat(tab.main()).not().containsText("run a-check-of-the-till");
    home.finish("till");
    assertThat(home.ended("till-1")).isEqualTo("succeeded");
    home.call(ConsoleHome.OPERATOR, "PUT", "/freezes/till-staging",
        "{\"reason\":\"stocktaking\",\"ttl_seconds\":600}");
    assertThat(tab.main()).containsText(
        "Wait until the freeze ends: run a-check-of-the-till and wait or run deploy and wait");
  }

  @Test
  @DisplayName("A force-release has a reason, and is in the history with the hash of the previous lock")
  void forceRelease() {
    expectRefusals(RELEASED_MEANWHILE);
    home.call(ConsoleHome.AGENT, "POST", "/locks/depot", TTL);
    ConsoleTab tab = open("/console/locks/depot", ConsoleHome.OPERATOR);

    tab.use(AriaRole.BUTTON, "Force-release…");
    tab.reach(AriaRole.TEXTBOX, Pattern.compile("Reason.*"));
    tab.type("wrong depot");
    tab.press("Enter");

    assertThat(tab.main()).containsText("depot was released by force");
    assertThat(tab.main()).containsText("Free: no request holds it");
    assertThat(tab.row("force-released")).containsText("by olga through console: wrong depot");
    assertThat(tab.row("force-released")).containsText("previous lock sha256:");
    assertThat(home.audit("depot")).contains("\"reason\":\"wrong depot\"", "\"door\":\"console\"");
  }

  @Test
  @DisplayName("A viewer sees which roles the actions need, and an invalid name is explained")
  void viewer() {
    expectRefusals(RELEASED_MEANWHILE);
    ConsoleTab tab = open("/console/locks/attic", ConsoleHome.VIEWER);
    assertThat(tab.find(AriaRole.BUTTON, "Freeze… needs operator")).isDisabled();
    tab.open("/console/intents/deploy?param.app=attic");
    assertThat(tab.main()).containsText("Lock attic-staging: free");
    assertThat(tab.find(AriaRole.BUTTON, "Run deploy needs agent")).isDisabled();
    tab.open("/console/locks/Not%20Valid");
    assertThat(tab.main()).containsText("not a valid name of a lock");
  }

  @Test
  @DisplayName("A wrong value is explained at its field; the right one is planned, kept in the address and run")
  void form() {
    ConsoleTab tab = open("/console/intents/deploy", ConsoleHome.AGENT);
    tab.use(AriaRole.BUTTON, "Run deploy");
    assertThat(tab.find(AriaRole.TEXTBOX, "app required")).isFocused();
    assertThat(tab.main()).containsText("app is required");
    tab.type("9lives");
    assertThat(tab.main()).containsText("app must match [a-z][a-z0-9-]*");
    assertThat(tab.requests()).noneMatch(it -> it.startsWith("POST"));

    tab.replace("lives");
    assertThat(tab.main()).containsText("Lock lives-staging: free");
    assertThat(tab.main()).containsText("echo 'fetching lives'");
    Await.until("the value is in the address",
        () -> tab.page().url().endsWith("/console/intents/deploy?param.app=lives"));
    tab.press("Enter");
    assertThat(tab.page()).hasURL(Pattern.compile(".*/console/runs/[^/]+$"));
    String id = tab.page().url().replaceAll(".*/", "");
    home.finish("lives");
    assertThat(home.ended(id)).isEqualTo("succeeded");
    assertThat(home.service.get("/audit?request_id=" + id).body()).contains("\"door\":\"console\"");
  }

  @Test
  @DisplayName("A secret is neither taken from the address nor put there, and is masked in the plan")
  void secret() {
    ConsoleTab tab = open("/console/intents/rotate-key?param.key=in-the-address&param.service=shop", ConsoleHome.AGENT);
    assertThat(tab.find(AriaRole.COMBOBOX, "service")).hasValue("shop");
    assertThat(tab.main()).containsText("The plan appears when the values are valid");
    tab.reach(tab.page().getByLabel("key required"));
    tab.type("typed-by-hand");
    assertThat(tab.main()).containsText("Plan sha256:");
    assertThat(tab.main()).not().containsText("typed-by-hand");
    assertThat(tab.page()).hasURL(Pattern.compile(".*/console/intents/rotate-key\\?param.service=shop$"));
  }

  @Test
  @DisplayName("A run that is refused because its lock is held can wait instead")
  void refusal() {
    expectRefusals("409 POST /intents/deploy");
    home.deploy(ConsoleHome.AGENT, "desk", "desk-1");
    ConsoleTab tab = open("/console/intents/deploy?param.app=desk", ConsoleHome.OPERATOR);
    assertThat(tab.main()).containsText("It would be refused now, because the lock is held");
    tab.use(AriaRole.BUTTON, "Run deploy");
    tab.use(AriaRole.BUTTON, "Run, and wait up to 10 minutes");

    assertThat(tab.main()).containsText("Waits for lock desk-staging");
    String id = tab.page().url().replaceAll(".*/", "");
    home.finish("desk");
    assertThat(home.ended(id)).isEqualTo("succeeded");
  }

  @Test
  @DisplayName("The audit log is followed with its origins, and its filters are in the address")
  void audit() {
    ConsoleTab tab = open("/console/audit?lock=shelf", ConsoleHome.VIEWER);
    assertThat(tab.main()).containsText("Following");
    home.call(ConsoleHome.AGENT, "POST", "/locks/shelf", TTL);
    home.call(ConsoleHome.AGENT, "POST", "/locks/other-shelf", TTL);
    assertThat(tab.row("lock acquired")).hasCount(1);
    assertThat(tab.row("lock acquired")).containsText("ada");
    assertThat(tab.row("lock acquired")).containsText("http");
    assertThat(tab.row("other-shelf")).hasCount(0);

    home.call(ConsoleHome.OPERATOR, "PUT", "/freezes/shelf", "{\"ttl_seconds\":600,\"reason\":\"stocktaking\"}");
    assertThat(tab.row("lock frozen")).containsText("stocktaking");
    tab.page().getByLabel("Event", new Page.GetByLabelOptions().setExact(true)).selectOption("lock_acquired");
    assertThat(tab.row("lock frozen")).hasCount(0);
    assertThat(tab.row("lock acquired")).containsText("ada");
    assertThat(tab.page()).hasURL(Pattern.compile(".*\\?lock=shelf&event=lock_acquired$"));
  }
}
