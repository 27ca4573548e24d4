package fleet.tower.service.call.overview;

import java.util.List;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.Drifts;

/** The declared intents. */
final class IntentSource implements OverviewSource {
  private static final String INTENTS = "intents";

  private final Catalogue catalogue;
  private final Drifts drifts;

  /** @param drifts the scheduled intents whose desired state does not hold */
  IntentSource(Catalogue catalogue, Drifts drifts) {
    this.catalogue = catalogue;
    this.drifts = drifts;
  }

  @Override
  public List<String> sections() {
    return List.of(INTENTS);
  }

  @Override
  public Rows read() {
    Builder rows = Rows.of(sections());
    for (Intent intent : catalogue.list()) {
      JsonWriter row = JsonWriter.line().put("name", intent.name())
          .put("description", intent.metadata().description()).put("mode", intent.mode().toString())
          .put("version", intent.version());
      intent.lock().ifPresent(lock -> row.put("lock", lock.source()));
      drifts.since(intent.name()).ifPresent(since -> row.put("drifted_since", since));
      rows.put(INTENTS, intent.name(), row);
    }
    return rows.build();
  }
}
