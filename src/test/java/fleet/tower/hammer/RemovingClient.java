package fleet.tower.hammer;

import static fleet.tower.hammer.HammerCalls.json;
import static java.net.HttpURLConnection.HTTP_CREATED;
import static java.net.HttpURLConnection.HTTP_OK;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.Competitor;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.FineClock;

/**
 * An operator who removes lock files by hand, his own ones and those of others, and then looks whether a removed grant
 * comes back: in the service's answers, in the directory, or by a heartbeat. A removal ends the grant, and is recorded
 * as such. He removes a file by moving it away, so that its content tells which grant that was.
 */
final class RemovingClient extends HammerClient {
  /** What a client counts when it removed a lock whose name nobody asks for again. */
  static final String COLD = "removal of a cold lock";
  private static final int TTL_SECONDS = 2;
  private static final int LONG_TTL_SECONDS = 3600;

  private final HammerCalls calls;
  private final Path locks;
  private final Path removed;
  private final Path histories;
  private final Set<Grant> grants = new HashSet<>();
  private int requests;
  private int files;

  /** @param removed where he moves the files */
  RemovingClient(String id, HammerCalls calls, Path locks, Path removed, Path histories) {
    super(id);
    this.calls = calls;
    this.locks = locks;
    this.removed = removed;
    this.histories = histories;
  }

  private record Grant(String name, long token) {}

  @Override
  void move() throws IOException, InterruptedException {
    String name = Competitor.NAMES.get(random.nextInt(Competitor.NAMES.size())).value();
    switch (random.nextInt(5)) {
      case 0 -> removeOwn(name);
      case 1 -> removeCold();
      case 2 -> removeForeign(name);
      default -> look();
    }
  }

  private void removeOwn(String name) throws IOException, InterruptedException {
    JsonObject lock = acquireAndRemove(name, TTL_SECONDS);
    if (lock != null) {
      count("removal of an own lock");
      use(name, lock);
    }
  }

  /** Nobody asks for the name again, so nothing but the removal ends the grant. */
  private void removeCold() throws IOException, InterruptedException {
    if (acquireAndRemove("cold-" + id + "-" + requests, LONG_TTL_SECONDS) != null) {
      count(COLD);
    }
  }

  private @Nullable JsonObject acquireAndRemove(String name, int ttlSeconds) throws IOException, InterruptedException {
    String request = "req_" + id + "_" + requests++;
    long begun = FineClock.nanos();
    JsonObject given = json(calls.call("POST", "/locks/" + name, "{\"request_id\":\"" + request
        + "\",\"ttl_seconds\":" + ttlSeconds + "}").body());
    if (given.integer("fencing_token").isEmpty()) {
      return null;
    }
    long token = given.integer("fencing_token").getAsLong();
    write(name, "enter", token, FineClock.nanos(), begun + Duration.ofSeconds(ttlSeconds).toNanos());
    JsonObject lock = remove(name);
    write(name, "exit", token, FineClock.nanos(), 0);
    return lock;
  }

  private void removeForeign(String name) throws IOException, InterruptedException {
    JsonObject lock = remove(name);
    if (lock != null) {
      count("removal of a lock");
      use(name, lock);
    }
  }

  /** The content of the lock file that was removed; null if there was none. */
  private @Nullable JsonObject remove(String name) throws IOException {
    Path target = removed.resolve(id + "-" + files++);
    long at = FineClock.nanos();
    try {
      Files.move(locks.resolve(name + ".lock"), target, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException nothingThere) {
      return null;
    }
    JsonObject lock = json(Files.readString(target));
    grants.add(new Grant(name, tokenIn(lock)));
    write(name, "removed", tokenIn(lock), at, 0);
    return lock;
  }

  private static long tokenIn(JsonObject lock) {
    return lock.object("metadata").orElseThrow().integer("fencing_token").orElseThrow();
  }

  /** Renews and releases the removed grant. */
  private void use(String name, JsonObject lock) throws IOException, InterruptedException {
    String request = lock.text("request_id").orElseThrow();
    refused("heartbeat", calls.call("POST", "/locks/" + name + "/heartbeat",
        "{\"request_id\":\"" + request + "\",\"fencing_token\":" + tokenIn(lock) + "}").statusCode());
    refused("release", calls.call("DELETE", "/locks/" + name + "?request_id=" + request + "&fencing_token="
        + tokenIn(lock), "").statusCode());
  }

  private void refused(String what, int status) {
    if (status == HTTP_OK || status == HTTP_CREATED) {
      fault("returned: " + what + " of a removed grant");
    } else {
      count(what + " of a removed grant " + status);
    }
  }

  /** Looks for every grant that was removed so far. */
  void look() throws IOException, InterruptedException {
    for (JsonObject lock : json(calls.call("GET", "/locks", "").body()).objects("locks")) {
      judge(lock);
    }
    try (DirectoryStream<Path> present = Files.newDirectoryStream(locks, "*.lock")) {
      for (Path file : present) {
        textOf(file).map(HammerCalls::json).ifPresent(this::judge);
      }
    }
    count("look for removed grants");
  }

  private static Optional<String> textOf(Path file) throws IOException {
    try {
      return Optional.of(Files.readString(file));
    } catch (NoSuchFileException released) {
      return Optional.empty();
    }
  }

  private void judge(JsonObject lock) {
    if (grants.contains(new Grant(lock.text("lock_name").orElseThrow(), tokenIn(lock)))) {
      fault("returned: a removed grant is held");
    }
  }

  private void write(String name, String what, long token, long at, long deadline) throws IOException {
    try (FileOutputStream history = new FileOutputStream(histories.resolve(id + "-" + name).toFile(), true)) {
      history.write((what + " " + token + " " + at + " " + deadline + " false " + id + "\n")
          .getBytes(StandardCharsets.UTF_8));
    }
  }
}
