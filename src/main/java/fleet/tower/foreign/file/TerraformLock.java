package fleet.tower.foreign.file;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

import fleet.tower.foreign.ExclusiveRules;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * The lock of Terraform's state in a directory: {@code .terraform.tfstate.lock.info} exists while Terraform works. It
 * names no process, so its holder cannot be proven dead; and only Terraform creates and removes it.
 */
final class TerraformLock implements ForeignLock {
  static final String FILE = ".terraform.tfstate.lock.info";

  private final LockFile file;

  TerraformLock(Path directory, TimeSource time, Scheduler scheduler) {
    this.file = new LockFile(directory.resolve(FILE), _ -> false, time, scheduler);
  }

  @Override
  public ForeignLockState state() {
    return switch (file.read()) {
      case ExclusiveRules.Nothing() -> new ForeignLockState.Free();
      case ExclusiveRules.Corrupt(String problem) ->
        new ForeignLockState.Doubtful("failed to read: " + problem, null);
      case ExclusiveRules.Bytes(byte[] bytes) -> judge(bytes);
    };
  }

  private static ForeignLockState judge(byte[] bytes) {
    try {
      JsonObject info = JsonReader.readObject(new String(bytes, StandardCharsets.UTF_8));
      Optional<String> who = info.text("Who").filter(text -> !text.isBlank());
      if (who.isEmpty()) {
        return new ForeignLockState.Doubtful("the lock info has no Who", null);
      }
      String operation = info.text("Operation").map(text -> ", " + text.replace("OperationType", "")).orElse("");
      return new ForeignLockState.Held(new ForeignLockState.Occupant(who.get() + operation, 0, "",
          info.text("Created").flatMap(Timestamps::parse).orElse(null)));
    } catch (JsonException e) {
      return new ForeignLockState.Doubtful("malformed lock info: " + e.getMessage(), null);
    }
  }

  @Override
  public ForeignLockState check() {
    return state();
  }

  /** The reader of intents rejects this before anything runs. */
  @Override
  public ForeignLock.Hold.Outcome hold(ForeignLock.Claim claim) {
    return new ForeignLock.Hold.Refused(
        new ForeignLockState.Doubtful("only Terraform itself may hold it; respect it instead", null));
  }

  @Override
  public Optional<ForeignLock.Hold> heldBy(ForeignLock.Claim claim) {
    return Optional.empty();
  }
}
