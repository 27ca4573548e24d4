package fleet.tower.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.KillableService;
import fleet.tower.harness.ProofsProfile;

@DisplayName("The console while processes are killed")
class LiveTest extends BrowserTest {
  /** Of the page's clock, which stands still otherwise. A busy machine may take any time for the rest. */
  private static final int MILLIS_UNTIL_RIGHT = 5_000;
  private static final int MILLIS_AWAY = 10 * 60_000;
  /** Notes the text of a row in the moment when the page says again that it is live. */
  private static final String NOTE_WHEN_LIVE = """
      row => new MutationObserver((_, observer) => {
        if (document.querySelector(".connection.is-live")) {
          window.whenLive = row.innerText;
          observer.disconnect();
        }
      }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })""";

  private final Path home;
  private final KillableService service;

  LiveTest(@TempDir Path directory) throws Exception {
    Installation tower = new Installation(directory);
    home = tower.home();
    ConsoleHome.prepare(home);
    service = new KillableService(tower);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private String call(String method, String path, String body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = client.send(HttpRequest.newBuilder(URI.create(service.url() + path))
          .method(method, BodyPublishers.ofString(body)).header("Authorization", "Bearer " + service.operatorToken())
          .header("Content-Type", "application/json").header("Prefer", "respond-async").build(),
          BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
      return answer.body();
    }
  }

  private void deploy(String app, String id) throws Exception {
    call("POST", "/intents/deploy", "{\"params\":{\"app\":\"" + app + "\"},\"request_id\":\"" + id + "\"}");
    Await.until(id + " has begun", () -> Files.exists(home.resolve("begun-" + id)));
  }

  /** Opens an address in a tab with a clock that the test can stop. */
  private ConsoleTab open(String path) {
    ConsoleTab tab = tab(service.url());
    tab.page().clock().install();
    tab.open(path, ConsoleHome.VIEWER);
    return tab;
  }

  private static void stopClock(ConsoleTab tab) {
    Object now = tab.page().evaluate("Date.now()");
    tab.page().clock().pauseAt(((Number) now).longValue() + 1_000);
  }

  private static Locator rowOf(ConsoleTab tab, String table, String text) {
    return tab.find(AriaRole.TABLE, Pattern.compile("^" + table)).getByRole(AriaRole.ROW)
        .filter(new Locator.FilterOptions().setHasText(text));
  }

  @Test
  @DisplayName("After SIGKILL of the service the page says that it is reconnecting, and is correct soon after the "
      + "restart")
  @ProofsProfile
  void restart() throws Exception {
    expectRefusals("503 .*");
    deploy("shop", "before");
    ConsoleTab now = open("/console/");
    assertThat(rowOf(now, "Running", "before")).isVisible();
    ConsoleTab run = open("/console/runs/before");
    assertThat(run.main()).containsText("running");
    for (ConsoleTab tab : List.of(now, run)) {
      assertThat(tab.page().getByRole(AriaRole.BANNER)).containsText("live · as of");
      stopClock(tab);
    }

    service.kill();
    for (ConsoleTab tab : List.of(now, run)) {
      assertThat(tab.page().getByRole(AriaRole.BANNER)).containsText("reconnecting · as of");
    }
    Files.writeString(home.resolve("go-shop"), "");
    service.startAgain();
    for (ConsoleTab tab : List.of(now, run)) {
      tab.page().clock().runFor(MILLIS_UNTIL_RIGHT);
    }

    assertThat(now.page().getByRole(AriaRole.BANNER)).containsText("live · as of");
    assertThat(rowOf(now, "Running", "before")).hasCount(0);
    assertThat(now.main()).containsText("interrupted");
    assertThat(run.main()).containsText("interrupted");
    assertThat(run.main().locator(".verdict")).not().containsText("running");
  }

  @Test
  @DisplayName("Without a connection ages and countdowns stand still; with one they are correct again")
  @ProofsProfile
  void clockStands() throws Exception {
    expectRefusals("503 .*");
    call("POST", "/locks/mill", "{\"request_id\":\"r1\",\"ttl_seconds\":86400}");
    ConsoleTab now = open("/console/");
    Locator held = rowOf(now, "Held", "mill");
    assertThat(held).containsText("23h 59m left");
    stopClock(now);
    service.kill();
    assertThat(now.page().getByRole(AriaRole.BANNER)).containsText("reconnecting · as of");
    String before = held.innerText();

    now.page().clock().runFor(MILLIS_AWAY);

    assertThat(now.page().getByRole(AriaRole.BANNER)).containsText("reconnecting · as of");
    assertThat(held.innerText()).isEqualTo(before);
    held.evaluate(NOTE_WHEN_LIVE);
    service.startAgain();
    now.page().clock().runFor(MILLIS_UNTIL_RIGHT);
    assertThat(now.page().getByRole(AriaRole.BANNER)).containsText("live · as of");
    assertThat(now.page().evaluate("window.whenLive")).isNotNull().isNotEqualTo(before);
  }

  @Test
  @DisplayName("A run that ended while the page was offline is not shown as running")
  @ProofsProfile
  void offline() throws Exception {
    deploy("shop", "meanwhile");
    ConsoleTab now = open("/console/");
    assertThat(rowOf(now, "Running", "meanwhile")).isVisible();
    stopClock(now);
    now.page().context().setOffline(true);
    assertThat(now.page().getByRole(AriaRole.BANNER)).containsText("reconnecting");

    Files.writeString(home.resolve("go-shop"), "");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest record = HttpRequest.newBuilder(URI.create(service.url() + "/runs/meanwhile"))
          .header("Authorization", "Bearer " + service.operatorToken()).build();
      Await.until("the run has ended", () -> {
        try {
          return client.send(record, BodyHandlers.ofString()).body().contains("\"status\":\"succeeded\",");
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      });
    }
    now.page().context().setOffline(false);
    now.page().clock().runFor(MILLIS_UNTIL_RIGHT);

    assertThat(rowOf(now, "Running", "meanwhile")).hasCount(0);
    // The list of finished runs is read after the overview has arrived, at a later time of the page.
    now.page().clock().resume();
    assertThat(rowOf(now, "Finished last", "meanwhile")).containsText("succeeded");
    now.forgetProblems("Failed to fetch|ERR_INTERNET_DISCONNECTED");
  }

  @Test
  @DisplayName("A holder that is killed with SIGKILL is shown as gone")
  void killedHolder() throws Exception {
    ConsoleTab now = tab(service.url());
    now.open("/console/", ConsoleHome.VIEWER);
    Process holder = service.command("guard", "mill", "--ttl", "10m", "--", "sleep", "1000");
    assertThat(rowOf(now, "Held", "mill")).containsText("alice");

    holder.descendants().forEach(ProcessHandle::destroyForcibly);
    holder.destroyForcibly();
    Await.exitOf(holder);

    assertThat(now.find(AriaRole.REGION, Pattern.compile("^Needs attention")).getByText("mill").first()).isVisible();
    assertThat(now.main()).containsText("is gone");
  }
}
