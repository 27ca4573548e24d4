package fleet.tower.answer.prime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import fleet.tower.platform.time.TimeSpans;

/**
 * The scripts of a project that run a command under a guard, found by their text. Arguments are not shown, because
 * they may contain secrets.
 */
final class GuardedScripts {
  private static final int MOST_FILES = 1_000;
  private static final int DEEPEST = 4;
  private static final long LARGEST_BYTES = 1 << 20;
  private static final List<String> DIRECTORIES = List.of("bin", "scripts", ".github/scripts");
  private static final Pattern GUARD = Pattern
      .compile("(?:^|[\\s;&|(@\"'/])tower[ \\t]+guard[ \\t]+(.+?)[ \\t]--[ \\t]+(\\S+)");
  /** A lock name, or one built from variables when the script runs. */
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_${}-]{1,128}");
  private static final Pattern PROGRAM = Pattern.compile("[A-Za-z0-9_./-]{1,60}");
  private static final Set<String> WITH_VALUE = Set.of("--ttl", "--on-lost", "-E", "--actor", "--server",
      "--request-id");

  private final Path project;
  private final SortedMap<String, SortedSet<String>> found = new TreeMap<>();
  private int files;

  private GuardedScripts(Path project) {
    this.project = project;
  }

  /** The guarded names of a project, each with the scripts that guard it. */
  static SortedMap<String, SortedSet<String>> in(Path project) {
    GuardedScripts scripts = new GuardedScripts(project);
    for (Path file : sorted(project)) {
      String name = file.getFileName().toString();
      if (name.endsWith(".sh") || name.equals("Makefile")) {
        scripts.lookAt(file);
      }
    }
    DIRECTORIES.forEach(directory -> scripts.lookInto(project.resolve(directory), 1));
    return scripts.found;
  }

  private void lookInto(Path directory, int depth) {
    if (depth > DEEPEST || !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    for (Path entry : sorted(directory)) {
      if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        lookInto(entry, depth + 1);
      } else {
        lookAt(entry);
      }
    }
  }

  private void lookAt(Path file) {
    if (files >= MOST_FILES || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    files++;
    try {
      if (Files.size(file) <= LARGEST_BYTES) {
        read(file, text(file));
      }
    } catch (IOException unreadable) {
      // A script that cannot be read cannot be run either.
    }
  }

  private static String text(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes((int) LARGEST_BYTES), StandardCharsets.UTF_8);
    }
  }

  private void read(Path file, String text) {
    if (text.indexOf(0) >= 0 || !text.contains("guard")) {
      return;
    }
    for (String line : text.replace("\\\n", " ").split("\n", -1)) {
      if (line.strip().startsWith("#")) {
        continue;
      }
      Matcher guard = GUARD.matcher(line);
      while (guard.find()) {
        String name = name(guard.group(1));
        if (NAME.matcher(name).matches()) {
          found.computeIfAbsent(name, _ -> new TreeSet<>()).add(place(file, guard.group(2)));
        }
      }
    }
  }

  private String place(Path file, String program) {
    String script = project.relativize(file).toString();
    return PROGRAM.matcher(program).matches() ? script + " (" + program + ")" : script;
  }

  /** The one word that is neither an option nor an option's value; empty if there is none. */
  private static String name(String words) {
    List<String> rest = new ArrayList<>();
    Iterator<String> word = List.of(words.strip().split("\\s+", -1)).iterator();
    boolean isDurationAllowed = false;
    while (word.hasNext()) {
      String next = word.next().replaceAll("[\"']", "");
      boolean isDuration = isDurationAllowed && TimeSpans.parse(next).isPresent();
      isDurationAllowed = next.equals("--wait");
      if (WITH_VALUE.contains(next) && word.hasNext()) {
        word.next();
      } else if (!next.startsWith("-") && !isDuration) {
        rest.add(next);
      }
    }
    return rest.size() == 1 ? rest.getFirst() : "";
  }

  private static List<Path> sorted(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    } catch (IOException none) {
      return List.of();
    }
  }
}
