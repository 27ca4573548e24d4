package fleet.tower.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;

import fleet.tower.harness.ProofsProfile;

@DisplayName("A viewer in the console")
@ProofsProfile
class ViewerTest extends ConsoleTest {
  @BeforeAll
  void fill() {
    SampleState.create(home);
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("Every page is shown without a refusal; actions are disabled and name the role that they need")
  @CsvSource({"/console/, Now, Take over…, operator", "/console/runs, Runs, '', ''",
      "/console/runs/deploy-1, deploy, Cancel the run, operator", "/console/runs/import-1, import, Run again, agent",
      "/console/locks, Locks, '', ''",
      "/console/locks/nightly-backup, nightly-backup, Take over…, operator",
      "/console/locks/nightly-backup, nightly-backup, Force-release…, operator",
      "/console/locks/nightly-backup, nightly-backup, Freeze…, operator",
      "/console/locks/wiki-production, wiki-production, Lift the freeze…, operator",
      "/console/intents, Intents, '', ''", "/console/intents/deploy?param.app=wiki, deploy, Run, agent",
      "/console/tasks, Tasks, '', ''", "/console/tasks/parser, parser, '', ''", "/console/mailboxes, Mailboxes, '', ''",
      "/console/mailboxes/orders, orders, Revive, agent", "/console/audit, Audit, '', ''",
      "/console/hosts, Hosts, '', ''"})
  void page(String path, String heading, String action, String role) {
    expectRefusals("404 GET /(locks/wiki-production|runs/req_old)");
    ConsoleTab tab = tab(home.url());
    tab.open(path, ConsoleHome.VIEWER);
    tab.arrive(heading);

    if (!action.isEmpty()) {
      Locator button = tab.main().getByRole(AriaRole.BUTTON,
          new Locator.GetByRoleOptions().setName(Pattern.compile("^" + action + ".*needs " + role))).first();
      tab.reach(button);
      assertThat(button).hasAttribute("aria-disabled", "true");
      List<String> before = tab.requests();
      tab.press("Enter");
      tab.press("Space");
      assertThat(tab.page().getByRole(AriaRole.DIALOG)).hasCount(0);
      assertThat(tab.requests().subList(before.size(), tab.requests().size())).noneMatch(it -> !it.startsWith("GET ")
          && !it.endsWith("/plan"));
    }
    assertThat(tab.refusals()).noneMatch(it -> it.startsWith("403"));
  }
}
