package fleet.tower.exclusive.file;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

import fleet.tower.exclusive.Claim;
import fleet.tower.exclusive.ExclusiveRules;
import fleet.tower.exclusive.ForeignLock;
import fleet.tower.exclusive.Hold;
import fleet.tower.exclusive.Verdict;
import fleet.tower.json.JsonException;
import fleet.tower.json.JsonObject;
import fleet.tower.json.JsonReader;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;
import fleet.tower.time.Timestamps;

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
  public Verdict look() {
    return switch (place.read()) {
      case ExclusiveRules.Nothing() -> new Verdict.Free();
      case ExclusiveRules.Unreadable(String problem) -> new Verdict.Doubtful("failed to read: " + problem, null);
      case ExclusiveRules.Bytes(byte[] bytes) -> judge(bytes);
    };
  }

  private static Verdict judge(byte[] bytes) {
    try {
      JsonObject info = JsonReader.readObject(new String(bytes, StandardCharsets.UTF_8));
      Optional<String> who = info.text("Who").filter(text -> !text.isBlank());
      if (who.isEmpty()) {
        return new Verdict.Doubtful("a lock info without Who", null);
      }
      String operation = info.text("Operation").map(text -> ", " + text.replace("OperationType", "")).orElse("");
      return new Verdict.Held(new Verdict.Occupant(who.get() + operation, 0, "",
          info.text("Created").flatMap(Timestamps::parse).orElse(null)));
    } catch (JsonException e) {
      return new Verdict.Doubtful("a malformed lock info: " + e.getMessage(), null);
    }
  }

  @Override
  public Verdict check() {
    return look();
  }

  /** The intents' reader refuses this before anything runs. */
  @Override
  public Hold.Outcome hold(Claim claim) {
    return new Hold.Refused(new Verdict.Doubtful("only Terraform itself may hold it; respect it instead", null));
  }

  @Override
  public Optional<Hold> heldBy(Claim claim) {
    return Optional.empty();
  }
}
