package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.time.Instant;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * The files that freeze lock names. An expired freeze counts as none, and the next freeze or unfreeze removes it. A
 * file that cannot be read as a freeze counts as one, because an operator may have meant it to be; unfreezing removes
 * it in any case. Freezes change under the guard of their name only, so that no grant comes in between.
 */
final class FreezeFiles {
  private static final String VERSION = "v1";

  private final LockDirectory directory;
  private final TimeSource time;

  FreezeFiles(LockDirectory directory, TimeSource time) {
    this.directory = directory;
    this.time = time;
  }

  /** The freeze of a name now. If there is no file, this costs one system call. */
  FreezeState find(LeaseName name) throws IOException {
    String file = FileNames.freeze(name);
    if (!directory.has(file)) {
      return new FreezeState.None();
    }
    byte[] content;
    try {
      content = directory.read(file);
    } catch (LockDirectory.UnfitFile unfit) {
      return unreadable(name, unfit.problem());
    } catch (AccessDeniedException e) {
      return unreadable(name, Errno.describe(e));
    }
    return content == null ? new FreezeState.None() : parse(name, content);
  }

  /** Call under the guard. On an error the name keeps its previous state; if that fails, the exception reports it. */
  FreezeOutcome freeze(FreezeRequest request) throws IOException {
    LeaseName name = request.name();
    FreezeState existing = find(name);
    if (!(existing instanceof FreezeState.None)) {
      return new FreezeOutcome.AlreadyFrozen(existing);
    }
    Freeze freeze = request.from(time.now());
    directory.create(FileNames.freezeTemp(name), bytesOf(freeze), true);
    try {
      directory.rename(FileNames.freezeTemp(name), FileNames.freeze(name));
      directory.sync();
    } catch (IOException e) {
      undo(name, e);
      throw e;
    }
    return new FreezeOutcome.Frozen(freeze);
  }

  /** Call under the guard. Also removes the temp file of a freeze that died. */
  UnfreezeOutcome unfreeze(LeaseName name) throws IOException {
    String file = FileNames.freeze(name);
    if (directory.has(FileNames.freezeTemp(name))) {
      directory.unlink(FileNames.freezeTemp(name));
    }
    if (!directory.has(file)) {
      return new UnfreezeOutcome.NotFrozen();
    }
    FreezeState existing = findOrUnreadable(name);
    try {
      directory.unlink(file);
    } catch (IOException e) {
      if (directory.has(file)) {
        throw e;
      }
    }
    syncIfPossible();
    return existing instanceof FreezeState.None
        ? new UnfreezeOutcome.NotFrozen()
        : new UnfreezeOutcome.Unfrozen(existing, time.now());
  }

  /** The freeze of a name; one that cannot be read can often still be removed. */
  private FreezeState findOrUnreadable(LeaseName name) {
    try {
      return find(name);
    } catch (IOException e) {
      return unreadable(name, Errno.describe(e));
    }
  }

  /**
   * Removes the freeze again. Requests refused meanwhile were refused correctly: for that moment the name was frozen.
   */
  private void undo(LeaseName name, IOException error) {
    try {
      for (String file : new String[]{FileNames.freezeTemp(name), FileNames.freeze(name)}) {
        if (directory.has(file)) {
          directory.unlink(file);
        }
      }
    } catch (IOException e) {
      throw new StorageException("lock " + name + ": " + Errno.describeWithFile(error)
          + "; the name may be frozen anyway; if it is, lift the freeze", e);
    }
  }

  /**
   * Syncs a removal, ignoring errors. The freeze is gone for every reader; a power failure may bring it back, and then
   * it expires.
   */
  private void syncIfPossible() {
    try {
      directory.sync();
    } catch (IOException ignored) {
      // A name that is frozen for too long can be unfrozen again.
    }
  }

  private FreezeState parse(LeaseName name, byte[] content) {
    try {
      Freeze freeze = read(name, JsonReader.readObject(content));
      return freeze.isOverAt(time.now()) ? new FreezeState.None() : new FreezeState.Frozen(freeze);
    } catch (JsonException e) {
      return unreadable(name, "not a JSON object: " + e.getMessage());
    } catch (InvalidValue e) {
      return unreadable(name, e.problem());
    }
  }

  /** Parses untrusted content. The version comes first: a newer file may have any other shape. */
  private static Freeze read(LeaseName name, JsonObject json) {
    require(text(json, "freeze_version").equals(VERSION), "freeze_version is not " + VERSION);
    require(text(json, "lock_name").equals(name.value()), "lock_name does not match the file name");
    Instant createdAt = Timestamps.parse(text(json, "created_at"))
        .orElseThrow(() -> problem("created_at is not a UTC time like 2025-12-18T10:30:10Z"));
    Ttl ttl = new Ttl(
        json.integer("ttl_seconds").orElseThrow(() -> problem("ttl_seconds is not an integer that fits")));
    return new FreezeRequest(name, new RequestId(text(json, "request_id")), text(json, "actor"), text(json, "reason"),
        ttl, json.text("on_behalf_of").orElse(null)).from(createdAt);
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElseThrow(() -> problem(key + " is not a string"));
  }

  private static void require(boolean fits, String otherwise) {
    if (!fits) {
      throw problem(otherwise);
    }
  }

  private static InvalidValue problem(String problem) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, problem);
  }

  private FreezeState unreadable(LeaseName name, String problem) {
    return new FreezeState.Corrupt(directory.pathOf(FileNames.freeze(name)), problem);
  }

  private static byte[] bytesOf(Freeze freeze) {
    JsonWriter json = JsonWriter.block().put("freeze_version", VERSION).put("lock_name", freeze.name().value())
        .put("request_id", freeze.requestId().value()).put("actor", freeze.actor());
    if (freeze.onBehalfOf() != null) {
      json.put("on_behalf_of", freeze.onBehalfOf());
    }
    json.put("reason", freeze.reason()).put("created_at", freeze.createdAt()).put("ttl_seconds", freeze.ttl().seconds())
        .put("expires_at", freeze.expiresAt());
    return (json.end() + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
