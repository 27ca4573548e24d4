package fleet.tower.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;

import fleet.tower.harness.Await;

/**
 * A test in real Chromium. Each test opens its tabs in contexts of their own; afterwards none may have had an error or
 * a request to another origin, nor a refusal that the test does not expect.
 */
abstract class BrowserTest {
  private static final int WIDTH = 1280;
  private static final int HEIGHT = 900;

  private final List<BrowserContext> contexts = new ArrayList<>();
  private final List<ConsoleTab> tabs = new ArrayList<>();
  private String expectedRefusals = "";

  @BeforeAll
  static void startBrowser() {
    Chromium.installed();
    PlaywrightAssertions.setDefaultAssertionTimeout((double) Await.LIMIT.toMillis());
  }

  @BeforeEach
  void forget() {
    tabs.clear();
    expectedRefusals = "";
  }

  /** A new tab in the light theme. */
  protected ConsoleTab tab(String url) {
    return tab(url, ColorScheme.LIGHT, WIDTH);
  }

  protected ConsoleTab tab(String url, ColorScheme theme) {
    return tab(url, theme, WIDTH);
  }

  protected ConsoleTab tab(String url, ColorScheme theme, int width) {
    BrowserContext context = Chromium.installed().newContext(new Browser.NewContextOptions().setColorScheme(theme)
        .setViewportSize(width, HEIGHT).setLocale("en-GB").setTimezoneId("Europe/Berlin"));
    context.setDefaultTimeout((double) Await.LIMIT.toMillis());
    contexts.add(context);
    ConsoleTab tab = new ConsoleTab(context, url);
    tabs.add(tab);
    return tab;
  }

  /**
   * A limit that people feel, in milliseconds. A machine with more work than processors gets as much longer as the work
   * exceeds them.
   */
  protected static double within(double seconds) {
    OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
    return seconds * 1_000 * Math.max(1, machine.getSystemLoadAverage() / machine.getAvailableProcessors());
  }

  /** Allows answers like {@code 409 POST /locks/.*}, an expression. */
  protected void expectRefusals(String expression) {
    expectedRefusals = expression;
  }

  @AfterEach
  void nothingWentWrong() {
    List<String> wrong = new ArrayList<>();
    for (ConsoleTab tab : tabs) {
      wrong.addAll(tab.problems());
      tab.refusals().stream().filter(it -> !it.matches(expectedRefusals)).forEach(wrong::add);
    }
    contexts.forEach(BrowserContext::close);
    contexts.clear();
    assertThat(wrong).as("errors, other origins and unexpected refusals").isEmpty();
  }
}
