package fleet.tower.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.service.config.TestService;

/** What a user has who unpacked a release: the launcher, the jar, and a home; run as real processes. */
final class Installation {
  private static final Path BASE = Path.of(System.getProperty("project.basedir", System.getProperty("user.dir")));
  private static final long SECONDS = 120;
  private final Path root;
  private final Map<String, String> environment = new HashMap<>();
  private Path workingDirectory;

  Installation(Path root) {
    this.root = root;
    workingDirectory = root;
    try {
      Files.createDirectories(root.resolve("bin"));
      TestService.makeHome(root.resolve("home"));
      for (String script : List.of("tower", "find-jdk.sh", "lock-manager.sh")) {
        Files.copy(BASE.resolve("bin").resolve(script), root.resolve("bin").resolve(script),
            StandardCopyOption.COPY_ATTRIBUTES);
      }
      jar("1.1.1");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    with("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin")).with("HOME", root.resolve("user").toString())
        .with("JAVA_HOME", System.getProperty("java.home")).with("TOWER_HOME", root.resolve("home").toString())
        .with("TOWER_LOCK_INSECURE_DIRECTORY", "true").with("TOWER_AOT", "off").with("TOWER_ACTOR", "alice");
  }

  /** How a process ended and what it printed. */
  record Result(int exit, String out, String err) {}

  Installation with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Installation without(String name) {
    environment.remove(name);
    return this;
  }

  Installation in(Path directory) {
    workingDirectory = directory;
    return this;
  }

  Path root() {
    return root;
  }

  Path home() {
    return root.resolve("home");
  }

  Path launcher() {
    return root.resolve("bin/tower");
  }

  Path jar() {
    return root.resolve("lib/tower.jar");
  }

  /** Makes the jar anew, as a build of that version would. */
  void jar(String version) throws IOException {
    Path classes = BASE.resolve("target/classes");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "fleet.tower.Main");
    manifest.getMainAttributes().putValue("Enable-Native-Access", "ALL-UNNAMED");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, String.join(" ", libraries()));
    Files.createDirectories(jar().getParent());
    Path fresh = Files.createTempFile(jar().getParent(), "tower", ".new");
    try (OutputStream file = Files.newOutputStream(fresh);
        JarOutputStream out = new JarOutputStream(file, manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path entry : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
        out.write(entry.endsWith("version.txt")
            ? version.getBytes(StandardCharsets.UTF_8)
            : Files.readAllBytes(entry));
        out.closeEntry();
      }
    }
    Files.move(fresh, jar(), StandardCopyOption.REPLACE_EXISTING);
  }

  /** The libraries where they are, as this process has them, without the logging that only a test library wants. */
  private static List<String> libraries() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(path -> path.endsWith(".jar") && !path.contains("slf4j-api"))
        .map(path -> Path.of(path).toUri().toString()).toList();
  }

  /** Starts a command whose output goes to files; the caller ends it. */
  Process start(List<String> command, Path out, Path err) throws IOException {
    return builder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
  }

  /** Runs the launcher to its end. */
  Result tower(String... arguments) {
    List<String> command = new ArrayList<>(List.of(launcher().toString()));
    command.addAll(List.of(arguments));
    return run(command);
  }

  /** Runs any command in this environment to its end. */
  Result run(List<String> command) {
    try {
      Path out = Files.createTempFile(root, "out", "");
      Path err = Files.createTempFile(root, "err", "");
      Process process = builder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("no end within " + SECONDS + " s: " + command);
      }
      return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Starts a command and lets it run; the caller ends it. */
  Process start(List<String> command) throws IOException {
    return builder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  /** A JDK of another version, as far as the launcher can tell; it must not be started. */
  Path stubJdk(String version) throws IOException {
    return stubJdk("jdk-" + version, version, "echo wrong java; exit 99");
  }

  /** A JDK of a version whose java is a shell script. */
  Path stubJdk(String directory, String version, String java) throws IOException {
    Path jdk = Files.createDirectories(root.resolve(directory));
    Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"Stub\"\nJAVA_VERSION=\"" + version + "\"\n");
    script(Files.createDirectories(jdk.resolve("bin")).resolve("java"), java);
    return jdk;
  }

  static void script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Waits for something that happens in the background, within bounds. */
  static void await(String what, BooleanSupplier condition) {
    Scheduler scheduler = SystemTime.scheduler();
    for (int look = 0; !condition.getAsBoolean(); look++) {
      if (look == SECONDS * 100) {
        throw new AssertionError("not within " + SECONDS + " s: " + what);
      }
      scheduler.pause(Duration.ofMillis(10));
    }
  }

  private ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(workingDirectory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }
}
