package fleet.tower.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

/** A benchmark of the service's start, up to its first answer, against the smallest Spring Boot service. */
final class ServeBench {
  private static final Pattern EXTRAS = Pattern.compile("security|oauth2|jose|opentelemetry|tracing");
  private static final Pattern NONE = Pattern.compile("(?!)");
  /** Needs a library that the product leaves out. */
  private static final String UNUSABLE = "--spring.autoconfigure.exclude=org.springframework.boot.security.oauth2."
      + "server.resource.autoconfigure.web.OAuth2ResourceServerWebSecurityAutoConfiguration";
  private static final int ROUNDS = 11;
  private static final Duration BETWEEN_CALLS = Duration.ofMillis(2);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Path base;
  private final Path project;
  private final Scheduler scheduler = SystemTime.scheduler();

  ServeBench(Path base, Path project) {
    this.base = base;
    this.project = project;
  }

  void run(Report report) throws Exception {
    Path home = Files.createDirectories(base.resolve("serve"));
    Path jar = jarOfBareApplication();
    String tower = project.resolve("bin/tower").toString();
    Map<String, String> environment = Map.of("TOWER_HOME", home.toString(), "TOWER_LOCK_INSECURE_DIRECTORY", "true");
    start(List.of(tower, "init"), environment).waitFor();
    untilServed(List.of(tower, "serve"), environment, "/actuator/health");
    AotCaches.await(project, "serve");
    for (Bare bare : List.of(new Bare(jar, Measure.START, EXTRAS, base.resolve("bare.aot")),
        new Bare(jar, Measure.START_LIBRARIES, NONE, base.resolve("bare-all.aot")))) {
      start(command(bare, "-XX:AOTCacheOutput=" + bare.cache(), "-Dspring.context.exit=onRefresh"), Map.of()).waitFor();
      LockBench.expect(Files.isRegularFile(bare.cache()));
      Comparison.of(ROUNDS, 1, _ -> untilServed(List.of(tower, "serve"), environment, "/actuator/health"),
          _ -> untilServed(command(bare, "-XX:AOTCache=" + bare.cache()), Map.of(), "/hello"))
          .report(report, bare.measure());
    }
  }

  /** A bare application without some of the product's libraries. */
  private record Bare(Path jar, Measure measure, Pattern without, Path cache) {}

  /** An AOT cache covers jars only. */
  private Path jarOfBareApplication() throws IOException {
    Path jar = base.resolve("bare.jar");
    String entry = BareApplication.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry(entry));
      Files.copy(project.resolve("target/bench-classes").resolve(entry), out);
    }
    return jar;
  }

  /** Has the collector, the compiler and the largest heap of {@code bin/tower serve}, and otherwise Java's defaults. */
  private List<String> command(Bare bare, String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-XX:-UsePerfData", "-Xlog:disable"));
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", bare.jar() + ":" + libraries(bare.without()), BareApplication.class.getName(), UNUSABLE));
    return command;
  }

  /** The product's libraries; those for tokens and traces would start by themselves. */
  private String libraries(Pattern without) throws IOException {
    try (var jars = Files.list(project.resolve("target/lib"))) {
      return jars.map(Path::toString).filter(jar -> !without.matcher(jar).find()).sorted()
          .collect(Collectors.joining(":"));
    }
  }

  private void untilServed(List<String> command, Map<String, String> environment, String path) throws Exception {
    int port = freePort();
    List<String> all = new ArrayList<>(command);
    all.add(environment.isEmpty() ? "--server.port=" + port : "--port=" + port);
    Process process = start(all, environment);
    try {
      awaitAnswer(process, port, path);
    } finally {
      process.destroy();
      process.waitFor();
    }
  }

  private void awaitAnswer(Process process, int port, String path) throws Exception {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < PATIENCE.toNanos() && process.isAlive()) {
      try (KeepAliveConnection connection = new KeepAliveConnection(port, "none")) {
        if (connection.call("GET", path, "") == 200) {
          return;
        }
      } catch (IOException notYet) {
        // No server listens yet.
      }
      scheduler.pause(BETWEEN_CALLS);
    }
    throw new IOException("nothing answered on " + port);
  }

  private static Process start(List<String> command, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(environment);
    return builder.start();
  }

  static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
