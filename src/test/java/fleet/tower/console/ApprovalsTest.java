package fleet.tower.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;

import fleet.tower.platform.json.JsonReader;
import fleet.tower.service.web.access.TestTokens;

@DisplayName("Approvals in the console, by keyboard alone")
class ApprovalsTest extends ConsoleTest {
  private static final Pattern APPROVE = Pattern.compile("^Approve…");
  private static final Pattern REJECT = Pattern.compile("^Reject…");

  @BeforeAll
  void declare() {
    home.declare("release", """
        mode: mutate
        params: { app: { type: string, default: shop } }
        controls: { lock: "release-${params.app}" }
        approve: { within: 1h }
        steps: [{ name: ship, run: [echo, "shipping ${params.app}"] }]
        """);
    home.declare("payout", """
        mode: mutate
        params: { app: { type: string, default: shop } }
        controls: { lock: payout }
        approve: { from: [d*] }
        steps: [{ name: pay, run: [echo, "paying ${params.app}"] }]
        """);
  }

  private void request(String token, String id) {
    request(token, "release", id);
  }

  private void request(String token, String intent, String id) {
    home.submit(token, intent, "{\"app\":\"" + id + "\"}", id, ",\"reason\":\"ticket 7\"");
  }

  @Test
  @DisplayName("What waits for me is on the page Now; its plan is shown in full, and the vote is for that plan")
  void approve() {
    request(ConsoleHome.AGENT, "wiki");
    ConsoleTab tab = tab(home.url());
    tab.open("/console/", ConsoleHome.APPROVER);
    tab.arrive("Now");
    assertThat(tab.main()).containsText("ada asks for your approval");
    tab.use(AriaRole.LINK, "See the plan, and vote");
    tab.arrive("release");
    assertThat(tab.main()).containsText("echo 'shipping wiki'");
    assertThat(tab.main()).containsText("ticket 7");
    assertThat(tab.main()).containsText("nothing has succeeded under this lock before");
    assertThat(tab.violations()).isEmpty();

    tab.use(AriaRole.BUTTON, APPROVE);
    assertThat(tab.page().getByRole(AriaRole.DIALOG)).containsText("sha256:");
    tab.reach(AriaRole.TEXTBOX, "Reason, for the audit log");
    tab.type("looked at it");
    tab.press("Enter");

    assertThat(tab.page().getByRole(AriaRole.DIALOG)).hasCount(0);
    assertThat(tab.main()).containsText("looked at it");
    assertThat(home.ended("wiki")).isEqualTo("succeeded");
    assertThat(home.service.get("/audit?event=run_approved&request_id=wiki").body())
        .contains("\"principal\":\"cora\"", "\"door\":\"console\"", "\"reason\":\"looked at it\"");
  }

  @Test
  @DisplayName("A rejection needs a reason, which the run and the list show; the page is accessible in the dark theme")
  void reject() {
    request(ConsoleHome.AGENT, "blog");
    ConsoleTab tab = tab(home.url(), ColorScheme.DARK);
    tab.open("/console/approvals", ConsoleHome.APPROVER);
    tab.arrive("Approvals");
    assertThat(tab.violations()).isEmpty();
    tab.use(AriaRole.LINK, Pattern.compile("^release blog"));
    tab.arrive("release");
    tab.use(AriaRole.BUTTON, REJECT);
    tab.reach(AriaRole.TEXTBOX, "Reason, for the audit log");
    tab.type("not on a Friday");
    tab.press("Enter");

    assertThat(tab.page().getByRole(AriaRole.DIALOG)).hasCount(0);
    assertThat(tab.main()).containsText("rejected");
    tab.open("/console/runs/blog");
    tab.arrive("release");
    assertThat(tab.main()).containsText("cora rejected it: “not on a Friday”");
    tab.press("g", "p");
    tab.arrive("Approvals");
    assertThat(tab.row("blog")).containsText("rejected");
  }

  @Test
  @DisplayName("A run waits for me only if its rules ask me, and if none of my tokens requested it; the reason is said")
  void notAsked() {
    request(ConsoleHome.AGENT, "payout", "salaries");
    request(TestTokens.tokenOf("cora-bot"), "forum");
    ConsoleTab tab = tab(home.url());
    tab.open("/console/", ConsoleHome.APPROVER);
    tab.arrive("Now");
    assertThat(tab.page().getByRole(AriaRole.TABLE, new Page.GetByRoleOptions()
        .setName(Pattern.compile("^Waiting for approval")))).containsText("salaries");
    assertThat(tab.row("forum")).containsText("cora-bot");
    assertThat(tab.main()).not().containsText("cora-bot asks for your approval");
    assertThat(tab.main()).not().containsText("under lock payout");
    tab.open("/console/approvals/salaries");
    tab.arrive("payout");
    assertThat(tab.main()).containsText("You are not asked: it must be approved by d*.");
    assertThat(tab.find(AriaRole.BUTTON, APPROVE)).hasAttribute("aria-disabled", "true");
    tab.open("/console/approvals/forum");
    tab.arrive("release");
    assertThat(tab.main()).containsText("You requested this run");
  }

  @Test
  @DisplayName("What a reader would not see in a plan is shown as its number, in the parameters, the steps and the whole plan")
  void hidden() {
    home.submit(ConsoleHome.AGENT, "payout", "{\"app\":\"shop\\u202egpj.exe\"}", "hidden", "");
    ConsoleTab tab = tab(home.url());
    tab.open("/console/approvals/hidden", ConsoleHome.VIEWER);
    tab.arrive("payout");
    assertThat(tab.main()).containsText("paying shop\\u{202e}gpj.exe");
    tab.page().locator("summary").click();
    assertThat(tab.main()).containsText("\"app\": \"shop\\u{202e}gpj.exe\"");
    assertThat(tab.main()).not().containsText("\u202e");
  }

  @Test
  @DisplayName("What was approved for later runs is shown with its run")
  void laterRuns() {
    request(ConsoleHome.AGENT, "pages");
    String hash = JsonReader.readOwn(home.service.get("/approvals/pages").body()).requiredText("plan_hash");
    home.service.callAs(ConsoleHome.APPROVER, "POST", "/approvals/pages/votes",
        "{\"decision\":\"approve\",\"plan_hash\":\"" + hash + "\",\"for_seconds\":7200,\"max\":3}");
    ConsoleTab tab = tab(home.url());
    tab.open("/console/approvals", ConsoleHome.VIEWER);
    tab.arrive("Approvals");
    assertThat(tab.row("pages")).containsText("3, ");
    tab.open("/console/approvals/pages");
    tab.arrive("release");
    assertThat(tab.main()).containsText("cora approved 3 more with this plan");
    assertThat(tab.violations()).isEmpty();
  }

  @Test
  @DisplayName("One's own request and a missing right are said, and the buttons do nothing")
  void mayNot() {
    request(ConsoleHome.APPROVER, "shop");
    ConsoleTab tab = tab(home.url());
    tab.open("/console/approvals/shop", ConsoleHome.APPROVER);
    tab.arrive("release");
    assertThat(tab.main()).containsText("You requested this run");
    tab.reach(AriaRole.BUTTON, APPROVE);
    tab.press("Enter");
    assertThat(tab.page().getByRole(AriaRole.DIALOG)).hasCount(0);

    ConsoleTab other = tab(home.url());
    other.open("/console/approvals/shop", ConsoleHome.OPERATOR);
    other.arrive("release");
    assertThat(other.main()).containsText("You have no right to approve runs of release");
    assertThat(other.find(AriaRole.BUTTON, REJECT)).hasAttribute("aria-disabled", "true");
    other.open("/console/");
    other.arrive("Now");
    assertThat(other.page().getByRole(AriaRole.TABLE, new Page.GetByRoleOptions()
        .setName(Pattern.compile("^Waiting for approval")))).containsText("shop");
    assertThat(home.status("shop")).isEqualTo("awaiting_approval");
  }
}
