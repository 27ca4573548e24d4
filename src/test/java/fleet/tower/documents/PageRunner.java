package fleet.tower.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import fleet.tower.documents.Page.Command;
import fleet.tower.documents.Page.Session;
import fleet.tower.harness.Programs;
import fleet.tower.harness.TestFiles;
import fleet.tower.release.CommandEnvironment;
import fleet.tower.release.CommandEnvironment.Result;
import fleet.tower.release.Tarball;

/**
 * A runner of the commands of a page, in a sandbox that has the directories of a host. Stand-ins replace programs that
 * need root or are not installed.
 */
final class PageRunner implements AutoCloseable {
  private static final Pattern HOST_PATH = Pattern
      .compile("(?<![\\w./-])/(opt|etc|srv|usr/local|var/lib|var/cache)(?=/|\\s|$)");
  private static final Path STAND_INS = Page.BASE.resolve("src/test/resources/documents");

  private final Path sandbox;
  private final Path release;
  private final CommandEnvironment surroundings;
  private Path directory;
  private int homes;

  PageRunner(Path sandbox, Path release) throws IOException {
    this.sandbox = sandbox;
    this.release = release;
    for (String place : List.of("opt", "etc/systemd/system", "etc/default", "srv", "usr/local/bin",
        "var/lib/tower-executor", "var/cache", "user")) {
      Files.createDirectories(sandbox.resolve(place));
    }
    directory = Files.createDirectories(sandbox.resolve("here"));
    TestFiles.link(directory.resolve(String.valueOf(Tarball.file().getFileName())), Tarball.file());
    Programs.write(sandbox.resolve("usr/local/bin/tower"), "#!/bin/sh\nexec \"$RELEASE/bin/tower\" \"$@\"\n");
    Files.createFile(sandbox.resolve("pids"));
    surroundings = new CommandEnvironment(sandbox);
    surroundings
        .with("PATH", STAND_INS.resolve("bin") + ":" + sandbox.resolve("usr/local/bin") + ":"
            + surroundings.variable("PATH"))
        .with("HOME", sandbox.resolve("user").toString()).with("SANDBOX", sandbox.toString())
        .with("RELEASE", release.toString()).with("DOCUMENTS", STAND_INS.toString())
        .with("PIDS", sandbox.resolve("pids").toString()).with("TOWER_LOCK_INSECURE_DIRECTORY", "true");
  }

  private void freshHome(Page page) throws IOException {
    homes++;
    Path home = Files.createDirectories(sandbox.resolve("home" + homes));
    surroundings.with("TOWER_HOME", home.toString());
    Files.createDirectories(home.resolve("config"));
    Path intents = Files.createDirectories(home.resolve("intents"));
    try (Stream<Path> samples = Files.list(release.resolve("intents"))) {
      for (Path sample : samples.toList()) {
        Files.copy(sample, intents.resolve(String.valueOf(sample.getFileName())));
      }
    }
    for (Map.Entry<String, String> intent : page.intents().entrySet()) {
      Files.writeString(intents.resolve(intent.getKey() + ".yaml"), intent.getValue());
    }
  }

  /** Runs all commands of the page and returns the differences from the page. */
  List<String> type(Page page) throws IOException {
    List<String> differences = new ArrayList<>();
    for (Session session : page.sessions()) {
      if (homes == 0 || session.freshHome()) {
        freshHome(page);
      }
      for (Command command : session.commands()) {
        type(command).ifPresent(difference -> differences
            .add(Page.BASE.relativize(page.file()) + ":" + command.line() + ": " + difference));
      }
    }
    return differences;
  }

  private Optional<String> type(Command command) throws IOException {
    for (String before : command.before()) {
      Result result = run(before, false);
      if (result.exit() != 0) {
        return Optional.of("its preparation `" + before + "` ended with " + result.exit() + ":\n" + result.output());
      }
    }
    Result result = run(command.text(), command.stopped());
    if (!command.stopped() && result.exit() != command.exit()) {
      return Optional.of("`" + command.text() + "` ended with " + result.exit() + ":\n" + result.output());
    }
    String expected = String.join("\n", command.output()) + "\n";
    if (!command.output().isEmpty() && !new Expectation(expected).isMetBy(seen(result.output()))) {
      return Optional.of("`" + command.text() + "` printed\n" + seen(result.output()) + "instead of\n" + expected);
    }
    return Optional.empty();
  }

  private Result run(String text, boolean stopped) throws IOException {
    Path at = sandbox.resolve("directory");
    String script = "cd '" + directory + "'\n" + HOST_PATH.matcher(text).replaceAll(sandbox + "/$1")
        + "\ncode=$?; pwd >'" + at + "'; exit $code\n";
    Result result = surroundings.run(stopped
        ? List.of("timeout", "--signal=INT", "4", "bash", "-c", "exec " + text)
        : List.of("bash", "-c", script));
    if (!stopped && Files.exists(at)) {
      directory = Path.of(Files.readString(at).strip());
    }
    return result;
  }

  /** The output as it would be on a real host. */
  private String seen(String output) {
    return output.replace(surroundings.variable("TOWER_HOME"), "$TOWER_HOME").replace(sandbox.toString(), "");
  }

  /**
   * Ends the background processes of the page. Each is killed before its children, because a guard whose command ends
   * still writes, and the sandbox is deleted next.
   */
  @Override
  public void close() throws IOException {
    for (String pid : Files.readAllLines(sandbox.resolve("pids"))) {
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(process -> {
        List<ProcessHandle> family = new ArrayList<>(List.of(process));
        process.descendants().forEach(family::add);
        family.forEach(ProcessHandle::destroyForcibly);
        family.forEach(member -> member.onExit().join());
      });
    }
  }
}
