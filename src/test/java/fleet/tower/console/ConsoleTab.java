package fleet.tower.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.ElementHandle;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.AriaRole;

/** A tab in which somebody uses the console by keyboard. It remembers what went wrong in it. */
final class ConsoleTab {
  private static final int MOST_TABS = 400;
  private static final Pattern FAILED_LOAD = Pattern.compile("Failed to load resource: .*");

  private final Page page;
  private final String origin;
  private final List<String> problems = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();
  private final List<String> requests = new ArrayList<>();

  /** Opens an empty tab of a context for the console of a service. */
  ConsoleTab(BrowserContext context, String url) {
    this.page = context.newPage();
    this.origin = url;
    page.onConsoleMessage(this::message);
    page.onPageError(error -> problems.add("error: " + error));
    page.onRequest(this::request);
    page.onResponse(this::response);
  }

  private void message(ConsoleMessage message) {
    if (!message.type().equals("log") && !FAILED_LOAD.matcher(message.text()).matches()) {
      problems.add(message.type() + ": " + message.text());
    }
  }

  private void request(Request request) {
    requests.add(request.method() + " " + request.url());
    String scheme = String.valueOf(URI.create(request.url()).getScheme());
    if (!request.url().startsWith(origin + "/") && !scheme.equals("data") && !scheme.equals("blob")) {
      problems.add("request to another origin: " + request.url());
    }
  }

  private void response(Response response) {
    if (response.status() >= 400) {
      refusals.add(response.status() + " " + response.request().method() + " "
          + response.url().substring(Math.min(origin.length(), response.url().length())));
    }
  }

  /** Errors of the page and requests to other origins. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Forgets expected errors, by an expression. */
  void forgetProblems(String expression) {
    Pattern expected = Pattern.compile(expression);
    problems.removeIf(it -> expected.matcher(it).find());
  }

  /** Answers with a status from 400, as {@code 404 GET /locks/a}. */
  List<String> refusals() {
    return List.copyOf(refusals);
  }

  /** Every request so far, as {@code GET http://…}. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  Page page() {
    return page;
  }

  /** Opens an address of the console, as from the address bar. */
  void open(String path) {
    page.navigate(origin + path);
  }

  /** Pastes a token on the page that requests it, and waits until the caller is shown. */
  void signIn(String token) {
    reach(AriaRole.TEXTBOX, "Token");
    page.keyboard().insertText(token);
    press("Enter");
    assertThat(find(AriaRole.BUTTON, "Sign out")).isVisible();
  }

  /** Opens an address with a token. */
  void open(String path, String token) {
    open(path);
    signIn(token);
  }

  /** Presses keys one after another. */
  void press(String... keys) {
    for (String key : keys) {
      page.keyboard().press(key);
    }
  }

  void type(String text) {
    page.keyboard().type(text);
  }

  /** Empties the focused field and types a text. */
  void replace(String text) {
    press("Control+a", "Delete");
    type(text);
  }

  /** The element of a role with exactly this name. */
  Locator find(AriaRole role, String name) {
    return page.getByRole(role, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  /** The element of a role whose name matches. */
  Locator find(AriaRole role, Pattern name) {
    return page.getByRole(role, new Page.GetByRoleOptions().setName(name));
  }

  /** Waits for the page whose heading contains a text. */
  void arrive(String heading) {
    assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1))).containsText(heading);
  }

  /** The rows of tables that contain a text. */
  Locator row(String text) {
    return page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText(text));
  }

  /** The main part of the page. */
  Locator main() {
    return page.getByRole(AriaRole.MAIN);
  }

  /** Moves the focus with the tabulator key until it is on an element. */
  Locator reach(AriaRole role, String name) {
    return reach(find(role, name).first());
  }

  Locator reach(AriaRole role, Pattern name) {
    return reach(find(role, name).first());
  }

  Locator reach(Locator element) {
    assertThat(element).isVisible();
    ElementHandle wanted = element.elementHandle();
    for (int i = 0; i < MOST_TABS; i++) {
      Object isFocused = page.evaluate("it => it.isConnected ? it === document.activeElement : null", wanted);
      if (Boolean.TRUE.equals(isFocused)) {
        return element;
      }
      if (isFocused == null) {
        wanted = element.elementHandle();
      } else {
        press("Tab");
      }
    }
    throw new AssertionError("the tabulator key does not reach " + element + "; the focus is on " + focus());
  }

  /** Moves the focus to a button or link and presses it. */
  void use(AriaRole role, String name) {
    reach(role, name);
    press("Enter");
  }

  void use(AriaRole role, Pattern name) {
    reach(role, name);
    press("Enter");
  }

  private String focus() {
    return String.valueOf(page.evaluate("document.activeElement?.outerHTML.slice(0, 200)"));
  }

  /** What axe-core finds on the page: WCAG 2.2 A and AA, and best practices. */
  List<String> violations() {
    return violations(List.of("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"));
  }

  /** What axe-core finds by the only rules that depend on the theme, those about contrast. */
  List<String> contrastViolations() {
    return violations(List.of("color-contrast", "link-in-text-block"));
  }

  private List<String> violations(List<String> rules) {
    if (!Boolean.TRUE.equals(page.evaluate("'axe' in window"))) {
      page.evaluate(Axe.SOURCE);
    }
    Object found = page.evaluate("""
        async rules => (await axe.run(document, {resultTypes: ['violations'], runOnly: rules})).violations
          .flatMap(it => it.nodes.map(node => it.id + ': ' + node.html.slice(0, 200) + ' ' + node.failureSummary))""",
        rules);
    return found instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of("axe-core did not run");
  }

  /** Axe-core is evaluated by the browser's own interface, because the policy of the page forbids other scripts. */
  private static final class Axe {
    static final String SOURCE = source();

    private static String source() {
      try (InputStream script = Objects.requireNonNull(Axe.class.getResourceAsStream("/axe.min.js"))) {
        return new String(script.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
