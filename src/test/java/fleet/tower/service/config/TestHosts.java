package fleet.tower.service.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.context.ConfigurableApplicationContext;

import fleet.tower.fleet.RandomProxy;
import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.text.Console;

/**
 * The services of one test home: one on the home itself or, within {@link ThreeHosts}, three behind a proxy. Each of
 * the three has a home of its own with the intents and the configuration of the test home.
 *
 * @param url where calls go
 */
record TestHosts(List<ConfigurableApplicationContext> services, String url, AutoCloseable proxy, String database)
    implements
      AutoCloseable {
  private static final long SEED = Long.getLong("fleet.seed", 20);
  private static final String HOST_ID = "--tower.host-id=";
  private static final String PORT = "--server.port=";
  private static final String DATABASE = "--tower.database.url=";
  private static final String GRACE = "--tower.shutdown.grace=";
  private static final List<String> SUFFIXES = List.of("", "-b", "-c");
  private static final String HOME_VARIABLE = "$TOWER_HOME";

  static TestHosts start(Path home, List<String> settings, Console console) {
    if (ThreeHosts.isActive()) {
      return startThree(home, settings, console);
    }
    ConfigurableApplicationContext service = new Daemon(home, console).start(settings);
    return new TestHosts(List.of(service), Daemon.urlOf(service), () -> {
    }, "");
  }

  private static TestHosts startThree(Path home, List<String> settings, Console console) {
    String database = valueOf(DATABASE, settings, ThreeHosts.databaseOf(home));
    String hostId = valueOf(HOST_ID, settings, "");
    share(home);
    List<ConfigurableApplicationContext> services = new ArrayList<>();
    try {
      for (String suffix : SUFFIXES) {
        Path own = ownHome(home, suffix);
        List<String> all = new ArrayList<>(settings.stream()
            .filter(setting -> Stream.of(HOST_ID, PORT, DATABASE).noneMatch(setting::startsWith)).toList());
        if (all.stream().noneMatch(setting -> setting.startsWith(GRACE))) {
          all.add(GRACE + "2s");
        }
        all.addAll(List.of(HOST_ID + hostId + suffix, PORT + 0, DATABASE + database));
        services.add(new Daemon(own, console).start(all));
      }
      copyToken(ownHome(home, "").resolve("state"), home.resolve("state"));
    } catch (RuntimeException e) {
      services.forEach(ConfigurableApplicationContext::close);
      throw e;
    }
    List<Supplier<String>> urls = services.stream().map(Daemon::urlOf).<Supplier<String>>map(url -> () -> url).toList();
    RandomProxy proxy = new RandomProxy(Integer.parseInt(valueOf(PORT, settings, "0")), SEED, urls);
    System.out.println("three hosts at " + proxy.url() + ", -Dfleet.seed=" + SEED);
    return new TestHosts(services, proxy.url(), proxy, database);
  }

  private static String valueOf(String setting, List<String> settings, String standard) {
    return settings.stream().filter(each -> each.startsWith(setting)).map(each -> each.substring(setting.length()))
        .findFirst().orElse(standard);
  }

  /** The steps of all hosts use the files of the test home. */
  static String shared(Path home, String intent) {
    return ThreeHosts.isActive() ? intent.replace(HOME_VARIABLE, home.toString()) : intent;
  }

  private static void share(Path home) {
    try (Stream<Path> intents = Files.list(home.resolve("intents"))) {
      for (Path intent : intents.filter(Files::isRegularFile).toList()) {
        Files.writeString(intent, shared(home, Files.readString(intent)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path ownHome(Path home, String suffix) {
    Path own = home.resolve(".host" + suffix);
    try {
      if (Files.notExists(own)) {
        Files.createDirectory(own);
        Files.createSymbolicLink(own.resolve("intents"), home.resolve("intents"));
        Files.createSymbolicLink(own.resolve("config"), home.resolve("config"));
        if (suffix.isEmpty() && Files.exists(home.resolve("state/token"))) {
          copyToken(home.resolve("state"), own.resolve("state"));
        }
      }
      return own;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void copyToken(Path from, Path to) {
    try {
      Files.createDirectories(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Path token = to.resolve("token");
      if (Files.notExists(token)) {
        Files.createFile(token,
            PosixFilePermissions.asFileAttribute(Set.copyOf(PosixFilePermissions.fromString("rw-------"))));
        Files.writeString(token, TestFiles.text(from.resolve("token")));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean areThree() {
    return services.size() > 1;
  }

  /** Waits until the fleet's table has every event: a host copies those of its files shortly after it writes them. */
  void awaitAudit(Path home, String path) {
    if (areThree() && path.startsWith("/audit")) {
      Await.until("every event is in the table", () -> Long.parseLong(
          new DirectTables(database).look("SELECT COUNT(*) FROM audit_events").getFirst()) >= written(home));
    }
  }

  private static long written(Path home) {
    return SUFFIXES.stream().map(suffix -> home.resolve(".host" + suffix + "/logs/audit")).filter(Files::isDirectory)
        .flatMap(audit -> TestFiles.in(audit).stream()).filter(file -> file.toString().endsWith(".jsonl"))
        .mapToLong(file -> TestFiles.text(file).lines().count()).sum();
  }

  /** A body as one host on the test home would write it: its name, its home, its locks as files, its own events. */
  String asOneHost(Path home, String body) {
    return areThree()
        ? body.replaceAll("(\"host_id\":\"[\\w.]+(-\\d+)?)-[bc]\"", "$1\"")
            .replaceAll("( on [a-z]+-\\d+)-[bc]\\b", "$1")
            .replaceAll(",\"host_id\":\"[\\w-]+\"}(?=,\\{\"event\"|]})", "}")
            .replaceAll("\"lock_path\":\"[^\"]*[/#]([^\"/]+)\"", "\"lock_path\":\"HOME/logs/locks/$1.lock\"")
            .replace(home.toString(), HOME_VARIABLE)
        : body;
  }

  @Override
  public void close() {
    services.parallelStream().forEach(ConfigurableApplicationContext::close);
    try {
      proxy.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
