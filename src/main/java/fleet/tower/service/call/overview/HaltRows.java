package fleet.tower.service.call.overview;

import java.util.List;

import fleet.tower.answer.HaltAnswers;
import fleet.tower.lock.HaltSource;

/** The halts in force. */
final class HaltRows implements OverviewSource {
  private static final String HALTS = "halts";

  private final HaltSource halts;

  HaltRows(HaltSource halts) {
    this.halts = halts;
  }

  @Override
  public List<String> sections() {
    return List.of(HALTS);
  }

  @Override
  public Rows read() {
    HaltSource.InForce inForce = halts.inForce();
    Builder rows = Rows.of(sections());
    inForce.halts().forEach(halt -> rows.put(HALTS, halt.name(), HaltAnswers.halt(halt)));
    inForce.unreadable().forEach(halt -> rows.put(HALTS, halt.path(), HaltAnswers.unreadable(halt)));
    return rows.build();
  }
}
