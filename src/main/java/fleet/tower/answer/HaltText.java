package fleet.tower.answer;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.HaltSource;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.text.Wildcards;

/** A halt in force, as {@link HaltAnswers#halts} lists it, in words. */
public record HaltText(JsonObject halt) {
  private static final String ACTORS = "actors";
  private static final String INTENTS = "intents";
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
    return halt.texts(LOCKS).isEmpty() || matches(LOCKS, lock.value());
  }

  /** Whether it covers what some actors do, by one of these intents only if it covers all of them. */
  private boolean covers(Set<String> doers, List<String> intents) {
    return (halt.texts(ACTORS).isEmpty() || doers.stream().anyMatch(doer -> matches(ACTORS, doer)))
        && (halt.texts(INTENTS).isEmpty()
            || (!intents.isEmpty() && intents.stream().allMatch(intent -> matches(INTENTS, intent))));
  }

  private boolean matches(String list, String name) {
    return halt.texts(list).stream().anyMatch(pattern -> Wildcards.matches(pattern, name));
  }

  /**
   * The halts that may cover a request for a lock.
   *
   * @param areForCaller whether one covers whatever the caller may request it for
   */
  public record OfLock(List<HaltText> halts, boolean areForCaller) {

    /**
     * Selects them.
     *
     * @param callers the actor who asks, and for whom
     * @param intents those whose runs take the lock
     */
    public static OfLock of(List<HaltText> inForce, LeaseName lock, Set<String> callers, List<String> intents) {
      List<HaltText> halts = inForce.stream().filter(halt -> halt.concerns(lock)).toList();
      return new OfLock(halts, halts.stream().anyMatch(halt -> halt.covers(callers, intents)));
    }
  }

  public String name() {
    return halt.requiredText("name");
  }

  public String level() {
    return halt.text("level").orElse("admit");
  }

  /** What it covers, as {@code actors claude-*, locks *-production}. */
  public String covers() {
    List<String> lists = Stream.of(ACTORS, INTENTS, LOCKS).filter(list -> !halt.texts(list).isEmpty())
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
