package fleet.tower.answer.prime;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.HaltText;
import fleet.tower.answer.LockAnswers;
import fleet.tower.answer.LockText;
import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.VisibleText;

/**
 * The page for agents. Each guarded name, intent and lock adds one line; their order does not matter.
 *
 * @param guarded guarded names and the scripts that guard them
 * @param intents the intents that the reader may run
 * @param others the number of intents that it may not run
 * @param locks the locks that are held
 * @param halts the halts in force
 */
public record Briefing(Reader reader, SortedMap<String, SortedSet<String>> guarded, List<Offer> intents, int others,
    List<LockView> locks, List<HaltText> halts) {
  private static final int LONGEST_TEXT = 80;
  private static final int LONGEST_LIST = 600;
  private static final int MOST_PLACES = 3;
  private static final String NONE = "- none";

  /**
   * The page of a reader.
   *
   * @param all the intents of a home or a service, those that the reader may not run included
   *
   * @param project the directory whose scripts may run commands under a guard; null for none
   */
  public static Briefing of(Reader reader, JsonObject all, List<LockView> locks, List<HaltText> halts,
      @Nullable Path project) {
    SortedMap<String, SortedSet<String>> guarded = project == null
        ? Collections.emptySortedMap()
        : GuardedScripts.in(project);
    List<Offer> offers = Offer.all(all);
    List<Offer> intents = offers.stream().filter(reader::mayUse).sorted(Comparator.comparing(Offer::name)).toList();
    return new Briefing(reader, guarded, intents, offers.size() - intents.size(),
        locks.stream().sorted(Comparator.comparing(LockView::name)).toList(), halts);
  }

  /** The page as Markdown. */
  public List<String> markdown() {
    List<String> page = new ArrayList<>(List.of("# Locks and intents of this project",
        "",
        "Work on a shared name runs under its lock, one holder at a time."));
    page.addAll(reader.introduction());
    page.addAll(List.of("", "## Guarded names"));
    guarded.forEach((name, places) -> page.add("- `" + name + "`: " + places(places)
        + (reader.mayHold(name) ? "" : " (your token may not hold this lock)")));
    page.addAll(guarded.isEmpty() ? List.of(NONE, "") : List.of(""));
    page.add("## Intents");
    intents.forEach(intent -> page.add(line(intent)));
    page.addAll(intents.isEmpty() ? List.of(NONE) : List.of());
    page.addAll(others == 0
        ? List.of()
        : List.of("- not yours: " + others + (others == 1 ? " intent" : " intents") + reader.elsewhere()));
    page.addAll(reader.instructions());
    if (!halts.isEmpty()) {
      page.addAll(List.of("", "## Halted now"));
      halts.forEach(halt -> page.add("- " + brief(halt.sentence(), LONGEST_LIST)));
    }
    page.addAll(List.of("", "## Held or frozen now"));
    locks.forEach(lock -> page.add(line(lock)));
    page.addAll(locks.isEmpty() ? List.of(NONE) : List.of());
    return page;
  }

  /** The page, and what it lists, as JSON. */
  public JsonWriter json(String format, List<String> page) {
    return JsonWriter.line().put("format", format).put("page", String.join("\n", page))
        .list("guarded", guarded.keySet().stream().map(JsonWriter::quote).toList())
        .list("intents", intents.stream().map(it -> JsonWriter.quote(it.name())).toList())
        .list("locks", locks.stream().map(it -> JsonWriter.quote(it.name().value())).toList())
        .list("halts", halts.stream().map(it -> JsonWriter.quote(it.name())).toList());
  }

  /** The page as plain text. */
  public List<String> text() {
    return markdown().stream().map(line -> line.replaceFirst("^#+ ", "").replace("`", "")).toList();
  }

  private static String places(SortedSet<String> places) {
    String first = String.join(", ", places.stream().limit(MOST_PLACES).toList());
    return "run " + first + (places.size() > MOST_PLACES ? ", and " + (places.size() - MOST_PLACES) + " more" : "");
  }

  private String line(Offer intent) {
    String lock = intent.lock() == null ? "no lock" : "lock `" + brief(intent.lock()) + "`";
    String about = intent.description().isEmpty() ? "" : brief(intent.description()) + "; ";
    return "- `" + intent.name() + "`: " + about + intent.mode() + ", " + lock + reader.command(intent)
        + brief(intent.parameters() + reader.limits(intent), LONGEST_LIST);
  }

  private static String line(LockView lock) {
    String leaseState = lock.state() + switch (lock.leaseState()) {
      case LeaseState.Held(Lease lease, Age age) -> ", held by " + VisibleText.quoted(brief(lease.holder().actor()))
          + " for " + LockAnswers.heldFor(lease, age) + " (intent " + VisibleText.quoted(brief(lease.holder().intent()))
          + ")";
      case LeaseState.Unusable _ -> "; ask an operator";
      case LeaseState.Vacant() -> "";
    };
    String freeze = lock.isFrozen() ? ", " + brief(LockText.frozen(lock.freeze())) : "";
    return "- `" + lock.name() + "`: " + leaseState + freeze;
  }

  /** Text from outside, on one line, without backquotes, and shortened. */
  static String brief(String text) {
    return brief(text, LONGEST_TEXT);
  }

  private static String brief(String text, int longest) {
    String line = VisibleText.visible(text.replaceAll("[\\s\\v\\p{Cntrl}]+", " ")).replace('`', '\'').strip();
    return line.length() <= longest ? line : line.substring(0, longest - 1) + "…";
  }
}
