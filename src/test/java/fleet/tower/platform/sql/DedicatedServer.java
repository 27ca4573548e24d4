package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;

/** A PostgreSQL server for one test, which can be killed, stopped, restarted, and followed by a standby. */
public final class DedicatedServer implements AutoCloseable {
  private static final String PORT_IS_TAKEN = "Address already in use";
  private static final int PORTS = 5;
  /** What a copy of a running server leaves out; the directories are there all the same. */
  private static final Set<String> NOT_COPIED = Set.of("pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial",
      "pg_snapshots", "pg_stat_tmp", "pg_subtrans");

  private final Path data;
  private int port = freePort();
  private @Nullable Process process;

  private DedicatedServer(Path data) {
    this.data = data;
  }

  /** A running server with an empty database {@code tower}; {@code directory} is created. */
  public static DedicatedServer begin(Path directory) {
    DedicatedServer server = new DedicatedServer(directory);
    run(List.of("initdb", "--no-sync", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-D",
        directory.toString()));
    server.startAnywhere();
    server.execute("postgres", "CREATE DATABASE tower");
    return server;
  }

  /** A standby that follows this server; no commit waits for it. */
  public DedicatedServer standby(Path directory) {
    DedicatedServer standby = copyInto(directory);
    standby.startAnywhere();
    return follows(standby);
  }

  /** A standby at the port of a server that is gone. */
  public DedicatedServer standbyInPlaceOf(DedicatedServer gone, Path directory) {
    DedicatedServer standby = copyInto(directory);
    standby.port = gone.port;
    standby.start();
    return follows(standby);
  }

  private DedicatedServer copyInto(Path directory) {
    DedicatedServer standby = new DedicatedServer(directory);
    try (Connection connection = connect("postgres"); Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_backup_start('standby', true)");
      copy(data, directory);
      try (ResultSet rows = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        rows.next();
        Files.writeString(directory.resolve("backup_label"), rows.getString(1));
      }
      Files.createFile(directory.resolve("standby.signal"));
      Files.writeString(directory.resolve("postgresql.auto.conf"),
          "primary_conninfo = 'host=127.0.0.1 port=" + port + " user=postgres application_name=standby'\n",
          StandardOpenOption.TRUNCATE_EXISTING);
    } catch (SQLException | IOException e) {
      throw new IllegalStateException(e);
    }
    return standby;
  }

  private DedicatedServer follows(DedicatedServer standby) {
    Await.until("the standby follows",
        () -> count("SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming'") > 0);
    return standby;
  }

  /** Makes each commit wait for its standby. */
  public void awaitStandby() {
    execute("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
    execute("postgres", "SELECT pg_reload_conf()");
    Await.until("the standby is synchronous",
        () -> count("SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'") > 0);
  }

  /** Promotes a standby to a primary with a new timeline. */
  public void promote() {
    execute("postgres", "SELECT pg_promote(true, 60)");
  }

  /** Starts it on a free port; another process may take the port that was found, so there are some more tries. */
  private void startAnywhere() {
    for (int attempt = 1;; attempt++) {
      try {
        start();
        return;
      } catch (IllegalStateException e) {
        if (attempt == PORTS || !TestFiles.text(log()).contains(PORT_IS_TAKEN)) {
          throw e;
        }
        port = freePort();
      }
    }
  }

  private Path log() {
    return data.resolveSibling(data.getFileName() + ".log");
  }

  /** Starts it, or starts it again, on its port. */
  public void start() {
    try {
      List<String> command = new ArrayList<>(withoutRoot());
      command.addAll(List.of(program("postgres"), "-D", data.toString(), "-p", String.valueOf(port), "-h", "127.0.0.1",
          "-k", "", "-c", "fsync=off", "-c", "wal_keep_size=256MB", "-c", "max_connections=200", "-c",
          "restart_after_crash=off"));
      process = new ProcessBuilder(command).redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Await.until("the server answers", this::answers);
  }

  private boolean answers() {
    if (!started().isAlive()) {
      throw new IllegalStateException("the server of " + data + " has ended; see " + log());
    }
    try (Connection connection = connect("postgres")) {
      return connection.isValid(1);
    } catch (SQLException notYet) {
      return false;
    }
  }

  /** Kills all processes of the server at once, like a power failure. */
  public void kill() {
    signal("KILL");
    try {
      started().waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops the server without a checkpoint, like {@code pg_ctl stop -m immediate}. */
  public void stopAtOnce() {
    try {
      new ProcessBuilder("kill", "-QUIT", String.valueOf(started().pid())).start().waitFor();
      started().waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops all processes of the server; clients get no reply. */
  public void freeze() {
    signal("STOP");
  }

  private void signal(String signal) {
    List<String> command = new ArrayList<>(List.of("kill", "-" + signal, String.valueOf(started().pid())));
    started().descendants().map(ProcessHandle::pid).map(String::valueOf).forEach(command::add);
    try {
      // Some of the children may have ended already.
      new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
          .waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public String url() {
    return "jdbc:postgresql://" + place() + "/tower?user=postgres";
  }

  /** A URL that connects to the primary of several servers. */
  public static String urlOf(List<DedicatedServer> servers) {
    return "jdbc:postgresql://" + String.join(",", servers.stream().map(DedicatedServer::place).toList())
        + "/tower?user=postgres&targetServerType=primary";
  }

  private String place() {
    return "127.0.0.1:" + port;
  }

  private Connection connect(String name) throws SQLException {
    return DriverManager.getConnection("jdbc:postgresql://" + place() + "/" + name
        + "?user=postgres&connectTimeout=5&socketTimeout=70");
  }

  private void execute(String name, String sql) {
    try (Connection connection = connect(name); Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private long count(String sql) {
    return Long.parseLong(new DirectTables(url()).look(sql).getFirst());
  }

  private Process started() {
    if (process == null) {
      throw new IllegalStateException("the server of " + data + " was not started");
    }
    return process;
  }

  @Override
  public void close() {
    if (process != null && process.isAlive()) {
      kill();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.walkFileTree(from, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
        Path target = to.resolve(from.relativize(directory));
        Files.createDirectories(target);
        if (!NOT_COPIED.contains(from.relativize(directory).toString())) {
          return FileVisitResult.CONTINUE;
        }
        try (Stream<Path> inside = Files.list(directory)) {
          for (Path each : inside.filter(Files::isDirectory).toList()) {
            Files.createDirectories(target.resolve(each.getFileName()));
          }
        }
        return FileVisitResult.SKIP_SUBTREE;
      }

      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (!file.getFileName().toString().startsWith("postmaster.")) {
          Files.copy(file, to.resolve(from.relativize(file)));
        }
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
        if (failure instanceof NoSuchFileException) {
          return FileVisitResult.CONTINUE;
        }
        throw failure;
      }
    });
  }

  /** The command prefix that drops root, because the server refuses to run as root. */
  private static List<String> withoutRoot() {
    return System.getProperty("user.name", "").equals("root") ? List.of("unshare", "-U") : List.of();
  }

  private static String program(String name) {
    return Path.of(PostgresServer.programs(), name).toString();
  }

  private static void run(List<String> arguments) {
    List<String> command = new ArrayList<>(withoutRoot());
    command.add(program(arguments.getFirst()));
    command.addAll(arguments.subList(1, arguments.size()));
    try {
      Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(run.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      if (run.waitFor() != 0) {
        throw new IllegalStateException(command + ": " + output);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
