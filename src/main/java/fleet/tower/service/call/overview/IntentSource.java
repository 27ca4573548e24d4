package fleet.tower.service.call.overview;

import java.util.List;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.platform.json.JsonWriter;

/** The declared intents. */
final class IntentSource implements OverviewSource {
  private static final String INTENTS = "intents";

  private final Catalogue catalogue;

  IntentSource(Catalogue catalogue) {
    this.catalogue = catalogue;
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
      rows.put(INTENTS, intent.name(), row);
    }
    return rows.build();
  }
}
