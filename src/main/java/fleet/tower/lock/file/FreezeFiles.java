package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.time.Instant;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.freeze.Freeze;
import fleet.tower.lock.freeze.FreezeOutcome;
import fleet.tower.lock.freeze.FreezeRequest;
import fleet.tower.lock.freeze.FreezeState;
import fleet.tower.lock.freeze.UnfreezeOutcome;
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
 * The files that freeze names. A freeze that is over counts as none wherever it lies, and is removed by the next freeze or
 * unfreeze. What cannot be read as a freeze counts as one, because an operator may have wanted it to be; lifting it removes
 * whatever lies there. Freezes are changed under the guard of their name only, so that no grant comes between.
 */
final class FreezeFiles {
  private static final String VERSION = "v1";

  private final LockDirectory directory;
  private final TimeSource time;

  FreezeFiles(LockDirectory directory, TimeSource time) {
    this.directory = directory;
    this.time = time;
  }

  /** What freezes a name now. Where nothing lies, that is all that is asked of the disk. */
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

  /** To be called under the guard. An error leaves the name as it was, or says that it does not. */
  FreezeOutcome freeze(FreezeRequest request) throws IOException {
    LeaseName name = request.name();
    FreezeState standing = find(name);
    if (!(standing instanceof FreezeState.None)) {
      return new FreezeOutcome.AlreadyFrozen(standing);
    }
    Freeze freeze = request.from(time.now());
    directory.create(FileNames.freezeTemp(name), bytesOf(freeze), true);
    try {
      directory.rename(FileNames.freezeTemp(name), FileNames.freeze(name));
      directory.sync();
    } catch (IOException e) {
      takeBack(name, e);
      throw e;
    }
    return new FreezeOutcome.Frozen(freeze);
  }

  /** To be called under the guard. Clears up after a freeze that died as well. */
  UnfreezeOutcome unfreeze(LeaseName name) throws IOException {
    String file = FileNames.freeze(name);
    if (directory.has(FileNames.freezeTemp(name))) {
      directory.unlink(FileNames.freezeTemp(name));
    }
    if (!directory.has(file)) {
      return new UnfreezeOutcome.NotFrozen();
    }
    FreezeState standing = seen(name);
    try {
      directory.unlink(file);
    } catch (IOException e) {
      if (directory.has(file)) {
        throw e;
      }
    }
    syncIfPossible();
    return standing instanceof FreezeState.None
        ? new UnfreezeOutcome.NotFrozen()
        : new UnfreezeOutcome.Unfrozen(standing, time.now());
  }

  /** A disk that cannot read the file can often remove it all the same. */
  private FreezeState seen(LeaseName name) {
    try {
      return find(name);
    } catch (IOException e) {
      return unreadable(name, Errno.describe(e));
    }
  }

  /** Whoever was refused meanwhile was refused rightly: for that moment the name was frozen. */
  private void takeBack(LeaseName name, IOException error) {
    try {
      for (String file : new String[]{FileNames.freezeTemp(name), FileNames.freeze(name)}) {
        if (directory.has(file)) {
          directory.unlink(file);
        }
      }
    } catch (IOException e) {
      throw new StorageException("lock " + name + ": " + Errno.describeWithFile(error)
          + "; it may be frozen all the same, until it is lifted by `tower unfreeze " + name + "`", e);
    }
  }

  /** It is lifted for everybody who looks; if the power fails before the disk knows, it comes back and ends by itself. */
  private void syncIfPossible() {
    try {
      directory.sync();
    } catch (IOException liftedAllTheSame) {
      // Nothing to report: a name that is frozen too long is no harm that an operator could not undo again.
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

  /** Trusts nothing in it. The version comes first: a newer file may have any other shape. */
  private static Freeze read(LeaseName name, JsonObject json) {
    require(text(json, "freeze_version").equals(VERSION), "it is of a version that is not known here");
    require(text(json, "lock_name").equals(name.value()), "lock_name is not the file's name");
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
    return new FreezeState.Unreadable(directory.pathOf(FileNames.freeze(name)), problem);
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
