package fleet.tower.run.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.StepLimits;

/**
 * Starts programs within the limits of their steps, through programs of the system: each sets one limit and executes
 * the next one, the last of them the program itself, in the same process. One that cannot set its limit executes
 * nothing.
 */
final class Confiner {
  private static final String SHELL = "/bin/sh";
  private static final int MAX_SAID = 200;

  private final Path home;
  private final @Nullable String path;
  private final Set<StepLimits> proven = ConcurrentHashMap.newKeySet();

  /** @param path the search path of programs */
  Confiner(Path home, @Nullable String path) {
    this.home = home;
    this.path = path;
  }

  /**
   * One limit.
   *
   * @param words the beginning of a command line; the program and its arguments follow
   * @param remedy what to do if it cannot be set
   */
  private record Part(String key, List<String> words, String remedy) {}

  /** The launch of a program within limits. */
  Launch confined(Launch launch, StepLimits limits) {
    List<String> words = words(parts(limits));
    if (words.isEmpty()) {
      return launch;
    }
    // The shell would take a word that begins with a dash for its own option.
    words.add(launch.program().startsWith("-") ? "./" + launch.program() : launch.program());
    words.addAll(launch.argv().subList(1, launch.argv().size()));
    return new Launch(words.getFirst(), words, launch.additions());
  }

  /** Why this machine cannot enforce limits, and what to do about it; null if it can, which is tried out once. */
  @Nullable
  String problem(StepLimits limits) {
    if (limits.equals(StepLimits.NONE) || proven.contains(limits)) {
      return null;
    }
    List<Part> parts = parts(limits);
    if (failure(parts) == null) {
      proven.add(limits);
      return null;
    }
    for (Part part : parts) {
      String failure = failure(List.of(part));
      if (failure != null) {
        return "the limit " + part.key() + " cannot be enforced on this host (" + failure + "); " + part.remedy();
      }
    }
    return "its limits cannot be enforced together on this host (" + failure(parts) + "); declare fewer of them";
  }

  private List<Part> parts(StepLimits limits) {
    List<Part> parts = new ArrayList<>();
    if (!limits.network()) {
      parts.add(new Part("network: false", List.of(found("unshare"), "--net", "--map-current-user", "--"),
          "install util-linux 2.36 or later, and let users have namespaces (see the sysctl user.max_user_namespaces, "
              + "kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns, and the seccomp "
              + "profile of a container), or remove it"));
    }
    if (!limits.escalate()) {
      parts.add(new Part("escalate: false", List.of(found("setpriv"), "--no-new-privs", "--"),
          "install util-linux, or remove it"));
    }
    if (limits.cpu() != null) {
      long seconds = limits.cpu().toSeconds();
      // The first limit ends a process by SIGXCPU, which tells why; the second one kills what ignores that.
      parts.add(inShell("cpu", "ulimit -S -t " + seconds + " && ulimit -H -t " + (seconds + 1)));
    }
    if (limits.fileSize() != null) {
      parts.add(inShell("file_size", "ulimit -f " + limits.fileSize() / 512));
    }
    if (limits.openFiles() != null) {
      parts.add(inShell("open_files", "ulimit -n " + limits.openFiles()));
    }
    if (limits.memory() != null) {
      parts.add(inShell("memory", "ulimit -v " + limits.memory() / 1024));
    }
    return parts;
  }

  private static Part inShell(String key, String command) {
    return new Part(key, List.of(SHELL, "-c", command + " && exec \"$@\"", "sh"),
        "it may be above the hard limit of this process: declare less, or raise that (`ulimit -H`, or Limit… in the "
            + "unit of the service)");
  }

  /** The path of a program; its name, without a slash, if there is none. */
  private String found(String program) {
    return Launch.find(program, path, home) instanceof Launch.Found(String place) ? place : program;
  }

  private static List<String> words(List<Part> parts) {
    List<String> words = new ArrayList<>();
    parts.forEach(part -> words.addAll(part.words()));
    return words;
  }

  /** What is said when a program that does nothing is started within limits; null if it succeeds. */
  private @Nullable String failure(List<Part> parts) {
    Optional<String> missing = parts.stream().map(part -> part.words().getFirst())
        .filter(word -> word.indexOf('/') < 0).findFirst();
    if (missing.isPresent()) {
      return "there is no program " + missing.get();
    }
    List<String> words = Stream.concat(words(parts).stream(), Stream.of(SHELL, "-c", "exit 0")).toList();
    ProcessBuilder builder = new ProcessBuilder(words).directory(home.toFile()).redirectErrorStream(true)
        .redirectInput(new File("/dev/null"));
    builder.environment().clear();
    try {
      Process process = builder.start();
      byte[] said = process.getInputStream().readNBytes(MAX_SAID);
      process.getInputStream().close();
      int code = process.waitFor();
      return code == 0 ? null : said.length == 0 ? "exit code " + code : line(said);
    } catch (IOException e) {
      return e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private static String line(byte[] said) {
    return new String(said, StandardCharsets.UTF_8).strip().replace('\n', ' ');
  }
}
