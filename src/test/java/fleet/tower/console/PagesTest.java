package fleet.tower.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.ProofsProfile;

@DisplayName("Each page of the console")
class PagesTest extends ConsoleTest {
  private static final Path IMAGES = Path.of(System.getProperty("project.basedir", ""), "docs/images/console");
  private static final Pattern IMAGE = Pattern.compile("\\(images/console/([^)]+)\\)");
  private static final int MOST_BYTES = 100_000;
  private static final int WIDTH = 1100;
  private static final int HEIGHT = 640;
  private static final int NARROW = 360;

  @BeforeAll
  void fill() {
    SampleState.create(home);
  }

  @ParameterizedTest(name = "{1} at {0}")
  @DisplayName("It keeps its place through the login, is accessible in both themes, and fits a narrow screen")
  @CsvSource({"/console/, Now, nightly-backup, now", "/console/runs?status=running, Runs, deploy-1, runs",
      "/console/runs/deploy-2, deploy, Held by ada, run-waiting",
      "/console/runs/import-1#rows, import, row 300 is imported, run",
      "/console/runs/disks-1, check-disks, disk 3 is full, run-failed", "/console/runs/none, Run, no run, ''",
      "/console/approvals, Approvals, No run needs, ''",
      "/console/locks, Locks, switchboard, locks",
      "/console/locks/nightly-backup, nightly-backup, Stale: held by bob, lock",
      "/console/locks/shop-staging, shop-staging, deploy-2, lock-held",
      "/console/locks/wiki-production, wiki-production, Frozen by olga, ''",
      "/console/intents, Intents, Deploy an app to an environment, intents",
      "/console/intents/deploy?param.app=shop, deploy, shop-staging, intent",
      "/console/tasks, Tasks, Port the printer, tasks", "/console/tasks/parser, Port the parser, ann, task",
      "/console/mailboxes, Mailboxes, orders, mailboxes", "/console/mailboxes/orders, orders, no such article, mailbox",
      "/console/audit, Audit, olga, audit", "/console/hosts, Hosts, tower-01, hosts",
      "/console/nothing, No such page, Mailboxes, ''"})
  @ProofsProfile
  void page(String path, String heading, String text, String image) throws IOException {
    expectRefusals("404 GET /(console/nothing|runs/(none|req_old).*|locks/wiki-production)");
    ConsoleTab tab = tab(home.url(), ColorScheme.LIGHT);
    tab.open(path, ConsoleHome.OPERATOR);
    tab.arrive(heading);
    assertThat(tab.main()).containsText(text);
    assertThat(tab.page().url()).startsWith(home.url() + path);
    assertThat(tab.page().locator("h1")).hasCount(1);
    assertThat(tab.page()).hasTitle(Pattern.compile(".+Tower Executor$"));
    assertThat(tab.violations()).as("light").isEmpty();
    if (Boolean.getBoolean("golden.update") && !image.isEmpty() && !ThreeHosts.isActive()) {
      screenshot(tab, image);
    }

    tab.page().emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
    assertThat(tab.contrastViolations()).as("dark").isEmpty();

    tab.page().setViewportSize(NARROW, HEIGHT);
    assertThat(tab.page().evaluate("document.documentElement.scrollWidth")).as("width at %s px", NARROW)
        .isEqualTo(NARROW);
  }

  /** The image has a usual home instead of the test's own. */
  private void screenshot(ConsoleTab tab, String image) throws IOException {
    tab.page().setViewportSize(WIDTH, HEIGHT);
    tab.page().evaluate("""
        home => {
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {
            texts.currentNode.data = texts.currentNode.data.replaceAll(home, '/srv/tower');
          }
        }""", home.service.home().toString());
    tab.page().screenshot(new Page.ScreenshotOptions()
        .setPath(Files.createDirectories(IMAGES).resolve(image + ".png")));
  }

  @Test
  @DisplayName("The images of the document exist, each is small, and there are no others")
  void images() throws IOException {
    Set<String> shown = IMAGE.matcher(Files.readString(IMAGES.resolve("../../console.md"))).results()
        .map((MatchResult it) -> it.group(1)).collect(toCollection(TreeSet::new));
    try (Stream<Path> files = Files.list(IMAGES)) {
      for (Path file : files.toList()) {
        assertThat(shown.remove(file.getFileName().toString())).as("%s is shown", file).isTrue();
        assertThat(Files.size(file)).as("size of %s", file).isLessThanOrEqualTo(MOST_BYTES);
      }
    }
    assertThat(shown).as("written by -Dgolden.update=true").isEmpty();
  }

  @Test
  @DisplayName("The login is accessible in both themes, and a refused token is explained")
  void login() {
    expectRefusals("401 GET /me");
    ConsoleTab tab = tab(home.url(), ColorScheme.LIGHT);
    tab.open("/console/runs");
    tab.arrive("Sign in");
    tab.reach(AriaRole.TEXTBOX, "Token");
    tab.type("no such token");
    tab.press("Enter");
    assertThat(tab.page().getByRole(AriaRole.ALERT)).hasText("the token is not known to this service");
    assertThat(tab.violations()).as("light").isEmpty();
    tab.page().emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
    assertThat(tab.contrastViolations()).as("dark").isEmpty();

    tab.signIn(ConsoleHome.VIEWER);
    tab.arrive("Runs");
    tab.page().reload();
    tab.arrive("Runs");
    assertThat(tab.page().evaluate("document.cookie + localStorage.getItem('tower.token')")).isEqualTo("null");
    tab.use(AriaRole.BUTTON, "Sign out");
    tab.arrive("Sign in");
    assertThat(tab.page().evaluate("sessionStorage.length")).isEqualTo(0);
  }

  @Test
  @DisplayName("The keyboard shortcuts are listed, reach each page, and are not active in fields")
  void keys() {
    ConsoleTab tab = tab(home.url(), ColorScheme.LIGHT);
    tab.open("/console/", ConsoleHome.VIEWER);
    tab.arrive("Now");
    tab.press("?");
    assertThat(tab.page().getByRole(AriaRole.DIALOG)).containsText("Keyboard shortcuts");
    assertThat(tab.violations()).isEmpty();
    tab.press("Escape");
    for (String[] page : new String[][]{{"r", "Runs"}, {"p", "Approvals"}, {"l", "Locks"}, {"i", "Intents"},
        {"t", "Tasks"},
        {"m", "Mailboxes"}, {"a", "Audit"}, {"h", "Hosts"}, {"n", "Now"}}) {
      tab.press("g", page[0]);
      tab.arrive(page[1]);
      assertThat(tab.page().getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1))).isFocused();
    }
    tab.press("/");
    tab.type("gr?");
    tab.arrive("Now");
    assertThat(tab.page()).hasURL(home.url() + "/console/?q=gr%3F");
    tab.press("Escape");
    assertThat(tab.page()).hasURL(home.url() + "/console/");
  }
}
