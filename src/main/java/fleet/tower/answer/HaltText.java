package fleet.tower.answer;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.HaltSource;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.text.Wildcards;

/** A halt in force, as {@link HaltAnswers#halts} lists it, in words. */
public record HaltText(JsonObject halt) {
  private static final String LOCKS = "locks";

  /** The halts of a list. */
  public static List<HaltText> all(JsonObject halts) {
    return halts.objects("halts").stream().map(HaltText::new).toList();
  }

  /** The halts in force. */
  public static List<HaltText> all(HaltSource.InForce halts) {
    return all(JsonReader.readOwn(HaltAnswers.halts(halts).end()));
  }

  /** Why it cannot be read; it covers everything then. */
  private Optional<String> problem() {
    return halt.text("problem").map(problem -> halt.requiredText("path") + " cannot be read: " + problem);
  }

  /** Whether it may cover a request for a lock, whoever it is from. */
  public boolean concerns(LeaseName lock) {
    List<String> locks = halt.texts(LOCKS);
    return locks.isEmpty() || locks.stream().anyMatch(pattern -> Wildcards.matches(pattern, lock.value()));
  }

  /** Whether it covers all actors and intents. */
  public boolean isForAll() {
    return halt.texts("actors").isEmpty() && halt.texts("intents").isEmpty();
  }

  public String name() {
    return halt.requiredText("name");
  }

  public String level() {
    return halt.text("level").orElse("admit");
  }

  /** What it covers, as {@code actors claude-*, locks *-production}. */
  public String covers() {
    List<String> lists = Stream.of("actors", "intents", LOCKS).filter(list -> !halt.texts(list).isEmpty())
        .map(list -> list + " " + String.join(" ", halt.texts(list))).toList();
    return lists.isEmpty() ? "everything" : String.join(", ", lists);
  }

  /** Who placed it. */
  public String actor() {
    return halt.text("actor").orElse("-");
  }

  /** When it ends. */
  public String until() {
    return halt.text("expires_at").orElse(problem().isPresent() ? "-" : "lifted");
  }

  /** Why it was placed, or why it cannot be read. */
  public String reason() {
    return problem().orElseGet(() -> halt.requiredText("reason"));
  }

  /** As {@code halt night (admit) covers locks db-*, by ann until it is lifted: "incident 7"}. */
  public String sentence() {
    String said = "halt " + name() + " (" + level() + ") covers " + covers();
    return problem().map(problem -> said + ": " + problem).orElseGet(() -> said + ", by " + actor() + " until "
        + halt.text("expires_at").orElse("it is lifted") + ": " + VisibleText.quoted(reason()));
  }
}
