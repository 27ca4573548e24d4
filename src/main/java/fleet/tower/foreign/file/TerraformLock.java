package fleet.tower.foreign.file;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

import fleet.tower.foreign.ExclusiveRules;
import fleet.tower.foreign.ForeignClaim;
import fleet.tower.foreign.ForeignHold;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * The lock of Terraform's state in a directory: {@code .terraform.tfstate.lock.info} lies there as long as Terraform is at work.
 * It names no process, so nobody can tell that its holder is dead; and it is Terraform's alone to make and to remove.
 */
final class TerraformLock implements ForeignLock {
  static final String FILE = ".terraform.tfstate.lock.info";

  private final LockPlace place;

  TerraformLock(Path directory, TimeSource time, Scheduler scheduler) {
    this.place = new LockPlace(directory.resolve(FILE), _ -> false, time, scheduler);
  }

  @Override
  public ForeignLockState look() {
    return switch (place.read()) {
      case ExclusiveRules.Nothing() -> new ForeignLockState.Free();
      case ExclusiveRules.Unreadable(String problem) ->
        new ForeignLockState.Doubtful("failed to read: " + problem, null);
      case ExclusiveRules.Bytes(byte[] bytes) -> judge(bytes);
    };
  }

  private static ForeignLockState judge(byte[] bytes) {
    try {
      JsonObject info = JsonReader.readObject(new String(bytes, StandardCharsets.UTF_8));
      Optional<String> who = info.text("Who").filter(text -> !text.isBlank());
      if (who.isEmpty()) {
        return new ForeignLockState.Doubtful("a lock info without Who", null);
      }
      String operation = info.text("Operation").map(text -> ", " + text.replace("OperationType", "")).orElse("");
      return new ForeignLockState.Held(new ForeignLockState.Occupant(who.get() + operation, 0, "",
          info.text("Created").flatMap(Timestamps::parse).orElse(null)));
    } catch (JsonException e) {
      return new ForeignLockState.Doubtful("a malformed lock info: " + e.getMessage(), null);
    }
  }

  @Override
  public ForeignLockState check() {
    return look();
  }

  /** The intents' reader refuses this before anything runs. */
  @Override
  public ForeignHold.Outcome hold(ForeignClaim claim) {
    return new ForeignHold.Refused(
        new ForeignLockState.Doubtful("only Terraform itself may hold it; respect it instead", null));
  }

  @Override
  public Optional<ForeignHold> heldBy(ForeignClaim claim) {
    return Optional.empty();
  }
}
