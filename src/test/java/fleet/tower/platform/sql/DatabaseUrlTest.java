package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

/** Tests that no part of a password in an invalid database URL is ever printed. */
class DatabaseUrlTest {
  private static final String SECRET = "SECRETPW";

  private final Path directory;
  private final TestHome home;

  DatabaseUrlTest(@TempDir Path directory) {
    this.directory = directory;
    home = new TestHome(directory.resolve("home"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:postgresql://127.0.0.1:1/x?user=u&password=SECRETPW%zz",
      "jdbc:postgresql://127.0.0.1:99999/x?user=u&password=SECRETPW",
      "jdbc:postgresql://127.0.0.1:port/x?user=u&password=SECRETPW",
      "jdbc:postgresql://127.0.0.1:1?user=u&password=SECRETPW",
      "jdbc:postgresql://127.0.0.1:1/x?password=SECRETPW", "jdbc:postgresql://127.0.0.1:1/x;password=SECRETPW",
      "jdbc:postgresql://127.0.0.1:1/x&password=SECRETPW", "jdbc:postgresql://u:SECRETPW@127.0.0.1:1/x",
      "jdbc:postgresql://u:SECRETPW@127.0.0.1/x", "jdbc:postgresql://u:SECRETPW/more@127.0.0.1:1/x",
      "jdbc:postgresql://u:SECRETPW?more@127.0.0.1:1/x", "jdbc:postgresql://SECRETPW:5432%/x",
      "postgresql://u:SECRETPW@127.0.0.1:1/x", "postgres://u:SECRETPW@127.0.0.1/x", "SECRETPW",
      "jdbc:mysql://u:SECRETPW@127.0.0.1/x", "jdbc:mysql://127.0.0.1/x;password=SECRETPW",
      "JDBC:POSTGRESQL://127.0.0.1/x?password=SECRETPW", "jdbc:sqlite:/x/y.db?password=SECRETPW"})
  @DisplayName("No command prints the password, in text, in JSON or in a log")
  void commands(String url) {
    home.with("TOWER_DATABASE_URL", url);
    List<String> logged = new CopyOnWriteArrayList<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord log) {
        logged.add(new SimpleFormatter().format(log));
      }

      @Override
      public void flush() {
        // All of it is in the list.
      }

      @Override
      public void close() {
        // There is nothing to close.
      }
    };
    Logger root = Logger.getLogger("");
    root.addHandler(handler);
    try {
      for (String command : List.of("locks", "doctor", "lock prod", "runs", "task list", "mailbox count box", "migrate",
          "audit", "settings", "home")) {
        for (String format : List.of("", " --json")) {
          Outcome outcome = home.tower(command + format);
          assertThat(outcome.out() + outcome.err()).as(command).doesNotContain(SECRET).isNotBlank();
        }
      }
    } finally {
      root.removeHandler(handler);
    }
    assertThat(logged).noneMatch(line -> line.contains(SECRET));
    assertThat(home.tower("task list").exit()).isEqualTo(69);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:postgresql://127.0.0.1:1/x?user=u&password=SECRETPW%zz",
      "jdbc:postgresql://127.0.0.1:99999/x?user=u&password=SECRETPW", "jdbc:postgresql://u:SECRETPW@127.0.0.1:1/x",
      "postgresql://u:SECRETPW@127.0.0.1:1/x", "jdbc:postgresql://127.0.0.1:1/x?user=u&password=SECRETPW"})
  @DisplayName("A service that fails to start because of the URL does not print the password")
  @ProofsProfile
  void service(String url) {
    Installation tower = new Installation(directory.resolve("release")).with("TOWER_DATABASE_URL", url);

    Result served = tower.tower("serve", "--port", "0");

    assertThat(served.exit()).isNotZero();
    assertThat(served.out() + served.err()).isNotBlank().doesNotContain(SECRET);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:postgresql://127.0.0.1:1/x", "jdbc:postgresql://[::1]:1,127.0.0.1:1/x?user=u",
      "jdbc:postgresql:///x?port=1&connectTimeout=1",
      "jdbc:postgresql://127.0.0.1:1/x%20y?password=50%25&loginTimeout=1"})
  @DisplayName("A URL that the driver accepts reaches it, and the message names the database host")
  void readable(String url) {
    home.with("TOWER_DATABASE_URL", url);
    Outcome outcome = home.tower("task list");
    assertThat(outcome.exit()).isEqualTo(69);
    assertThat(outcome.err()).contains("cannot be reached; check that it runs, and check the URL [08",
        "the database postgresql:" + url.substring("jdbc:postgresql:".length()).replaceFirst("[?].*", ""));
  }
}
