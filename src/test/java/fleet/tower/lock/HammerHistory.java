package fleet.tower.lock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;

/**
 * The log of all competitors for a lock, and whether two ever held it at once. A grant whose lock file somebody removed
 * by hand ends there.
 */
public final class HammerHistory {
  private final Map<String, Integer> counts = new HashMap<>();
  private final List<Hold> holds = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final Map<Long, Long> removed = new HashMap<>();
  private final List<Long> robbed = new ArrayList<>();

  /** The interval in which a competitor could believe that it held the lock. */
  private record Hold(String who, long token, long enter, long end) {}

  /** Reads the histories of one lock in a directory, one file for each process that ever ran. */
  public static HammerHistory read(Path directory, LeaseName name) {
    HammerHistory history = new HammerHistory();
    try (var files = Files.list(directory)) {
      for (Path file : files.filter(it -> it.toString().endsWith("-" + name)).sorted().toList()) {
        history.add(file.getFileName().toString(), Files.readAllLines(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    history.check();
    return history;
  }

  /** The number of bytes that all processes have written so far. */
  public static long size(Path directory) {
    try (var files = Files.list(directory)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The number of events of a kind. */
  public int count(String what) {
    return counts.getOrDefault(what, 0);
  }

  /** Pairs of competitors that held it at once, and tokens that did not grow. */
  public List<String> violations() {
    return violations;
  }

  /** The number of grants that ended before their time, other than by a removal of their file. */
  public long robbed() {
    return robbed.stream().filter(token -> !removed.containsKey(token)).count();
  }

  @Override
  public String toString() {
    return counts + ", " + robbed() + " robbed, " + violations.size() + " violations";
  }

  private void add(String who, List<String> lines) {
    Hold open = null;
    for (String line : lines) {
      String[] words = line.split(" ", 6);
      if (words.length < 6) {
        continue;
      }
      counts.merge(words[0], 1, Integer::sum);
      long token = Long.parseLong(words[1]);
      long at = Long.parseLong(words[2]);
      long deadline = Long.parseLong(words[3]);
      switch (words[0]) {
        case "enter" -> {
          counts.merge("stolen", Boolean.parseBoolean(words[4]) ? 1 : 0, Integer::sum);
          close(open);
          open = new Hold(who, token, at, deadline);
        }
        case "renew" -> open = open == null ? null : new Hold(who, token, open.enter(), deadline);
        case "exit", "lost" -> open = open == null
            ? null
            : new Hold(who, token, open.enter(), Math.min(open.end(), at));
        case "removed" -> removed.merge(token, at, Math::min);
        case "robbed" -> robbed.add(token);
        case "kept" -> violations.add(who + " was told that it has what it never asked for before: token " + token);
        default -> {
        }
      }
    }
    close(open);
  }

  private void close(@Nullable Hold hold) {
    if (hold != null) {
      holds.add(hold);
    }
  }

  private Hold untilRemoved(Hold hold) {
    return new Hold(hold.who(), hold.token(), hold.enter(),
        Math.min(hold.end(), removed.getOrDefault(hold.token(), hold.end())));
  }

  private void check() {
    Set<Long> tokens = new HashSet<>();
    for (Hold hold : holds) {
      if (!tokens.add(hold.token())) {
        violations.add("token " + hold.token() + " was given out twice, also to " + hold);
      }
    }
    List<Hold> believed = holds.stream().map(this::untilRemoved).filter(hold -> hold.end() > hold.enter())
        .sorted(Comparator.comparingLong(Hold::enter)).toList();
    Hold last = null;
    for (Hold hold : believed) {
      if (last != null && hold.enter() < last.end()) {
        violations.add("two at once: " + last + " and " + hold);
      }
      if (last != null && hold.token() <= last.token()) {
        violations.add("the token did not grow: " + last + " and then " + hold);
      }
      last = last == null || hold.end() > last.end() ? hold : last;
    }
  }
}
