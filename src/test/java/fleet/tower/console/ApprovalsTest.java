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
  }

  private void request(String token, String id) {
    home.submit(token, "release", "{\"app\":\"" + id + "\"}", id, ",\"reason\":\"ticket 7\"");
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
