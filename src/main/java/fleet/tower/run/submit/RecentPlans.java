package fleet.tower.run.submit;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The plans that this process has shown. Their number and total size are bounded; the oldest are forgotten first. */
final class RecentPlans {
  private static final int MOST = 1000;
  private static final int MOST_CHARACTERS = 8_000_000;

  private final Map<String, PlanDocument> byHash = new LinkedHashMap<>();
  private int characters;

  synchronized void add(PlanDocument plan) {
    if (byHash.putIfAbsent(plan.hash(), plan) == null) {
      characters += plan.text().length();
    }
    Iterator<PlanDocument> oldest = byHash.values().iterator();
    while (byHash.size() > MOST || characters > MOST_CHARACTERS) {
      characters -= oldest.next().text().length();
      oldest.remove();
    }
  }

  synchronized Optional<PlanDocument> find(PlanHash hash) {
    return byHash.entrySet().stream().filter(plan -> hash.begins(plan.getKey())).map(Map.Entry::getValue).findFirst();
  }
}
