package fleet.tower.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import fleet.tower.service.config.TestService;

/** An unpacked release as a user has it: the launcher, the jar and a home, run as real processes. */
public final class Installation {
  private static final int MOST_STARTS = 10;

  private final Path root;
  private final Map<String, String> environment = new HashMap<>();
  private Path workingDirectory;

  /** An installation of the release that all tests share, with its trained start-up caches. */
  public Installation(Path root) {
    this(root, true);
  }

  private Installation(Path root, boolean isShared) {
    this.root = root;
    workingDirectory = root;
    with("PATH", path()).with("HOME", root.resolve("user").toString())
        .with("JAVA_HOME", System.getProperty("java.home")).with("TOWER_HOME", root.resolve("home").toString())
        .with("TOWER_LOCK_INSECURE_DIRECTORY", "true").with("TOWER_ACTOR", "alice")
        .with("TZ", System.getenv().getOrDefault("TZ", "UTC"))
        .with("TOWER_AOT", isShared && TestRelease.isTrained() ? "on" : "off");
    try {
      TestRelease.copyScripts(root.resolve("bin"));
      TestService.makeHome(root.resolve("home"));
      Files.createDirectories(root.resolve("lib"));
      if (isShared) {
        TestRelease.linkInto(root.resolve("lib"));
      } else {
        jar(TestRelease.VERSION);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An installation with a jar of its own and no start-up cache, for tests of the launcher. */
  public static Installation apart(Path root) {
    return new Installation(root, false);
  }

  /** The directories of programs. */
  public static String path() {
    return System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
  }

  /** The exit code and the output of a process. */
  public record Result(int exit, String out, String err) {}

  /** Sets an environment variable. */
  public Installation with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public Installation without(String name) {
    environment.remove(name);
    return this;
  }

  public Installation in(Path directory) {
    workingDirectory = directory;
    return this;
  }

  public Path root() {
    return root;
  }

  public Path home() {
    return root.resolve("home");
  }

  public Path launcher() {
    return root.resolve("bin/tower");
  }

  public Path jar() {
    return root.resolve("lib/tower.jar");
  }

  /** Replaces the jar with one of another version, as an upgrade does. */
  public void jar(String version) throws IOException {
    Path fresh = Files.createTempFile(jar().getParent(), "tower", ".new");
    TestRelease.jar(fresh, version, TestRelease.librariesUri());
    Files.move(fresh, jar(), StandardCopyOption.ATOMIC_MOVE);
  }

  public String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  /** Starts a command whose output goes to files; the caller ends it. */
  public Process start(List<String> command, Path out, Path err) throws IOException {
    return builder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
  }

  /** Runs the launcher and waits for its end. */
  public Result tower(String... arguments) {
    List<String> command = new ArrayList<>(List.of(launcher().toString()));
    command.addAll(List.of(arguments));
    return run(command);
  }

  /** Runs any command in this environment and waits for its end. */
  public Result run(List<String> command) {
    try {
      Path out = Files.createTempFile(root, "out", "");
      Path err = Files.createTempFile(root, "err", "");
      Process process = builder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      return new Result(Await.exitOf(process), Files.readString(out), Files.readString(err));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a command whose input and output are pipes to the caller, who ends it. */
  public Process connect(List<String> command, Path err) throws IOException {
    return builder(command).redirectError(err.toFile()).start();
  }

  /** Starts a command; the caller ends it. */
  public Process start(List<String> command) throws IOException {
    return builder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  /** A JDK that claims another version; the launcher must not start it. */
  public Path stubJdk(String version) throws IOException {
    return stubJdk("jdk-" + version, version, "echo wrong java; exit 99");
  }

  /** A JDK of a version with a shell script as its java. */
  public Path stubJdk(String directory, String version, String java) throws IOException {
    Path jdk = Files.createDirectories(root.resolve(directory));
    Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"Stub\"\nJAVA_VERSION=\"" + version + "\"\n");
    script(Files.createDirectories(jdk.resolve("bin")).resolve("java"), java);
    return jdk;
  }

  public static void script(Path file, String text) throws IOException {
    Programs.write(file, "#!/bin/sh\n" + text + "\n");
  }

  /** Starts the service on a free port and waits until it is ready, or fails with its output; the caller ends it. */
  public Process serve(Path out, Path err) throws IOException {
    Process service = start(List.of(launcher().toString(), "serve", "--port", "0"), out, err);
    ServiceProcess.awaitReady(service, out, err);
    return service;
  }

  /**
   * Starts the service on a port that another one has just had, and waits until it is ready; its output goes to files
   * in a directory. Another process may use the port for a while.
   */
  public Process serveAgain(String port, Path directory) throws IOException {
    for (int attempt = 1;; attempt++) {
      Path out = directory.resolve("again" + attempt);
      Path err = directory.resolve("again" + attempt + ".err");
      Process service = start(List.of(launcher().toString(), "serve", "--port", port), out, err);
      boolean isReady = false;
      try {
        ServiceProcess.awaitReady(service, out, err);
        isReady = true;
        return service;
      } catch (AssertionError e) {
        if (attempt == MOST_STARTS || !TestFiles.text(err).contains("port " + port + " is in use")) {
          throw e;
        }
      } finally {
        if (!isReady) {
          Await.kill(service);
        }
      }
    }
  }

  private ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(workingDirectory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }
}
