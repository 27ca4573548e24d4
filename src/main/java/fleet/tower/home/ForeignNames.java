package fleet.tower.home;

import java.util.List;
import java.util.stream.Stream;

import fleet.tower.exclusive.ForeignName;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;

/** Other tools' locks that the intents of a home name. */
final class ForeignNames {
  private ForeignNames() {}

  /** The foreign locks that intents name whatever their parameters. */
  static List<ForeignName> in(Catalogue catalogue) {
    return catalogue.list().stream().map(Intent::controls)
        .flatMap(controls -> Stream.concat(controls.respect().stream(), controls.exclusive().stream()))
        .filter(template -> template.references().isEmpty())
        .map(template -> ForeignName.parse(template.resolve(_ -> ""))).distinct().toList();
  }
}
