package fleet.tower.run.submit;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Values;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.run.Run;

/** The part of a run's parameters that its record contains. No text of it contains a secret. */
final class RecordedParams {
  private RecordedParams() {}

  /** @param given the names of the parameters that the request has */
  static Run.Params of(Intent intent, Values values, Set<String> given) {
    Secrets secrets = Secrets.of(values.secrets());
    JsonWriter json = JsonWriter.line();
    List<String> withheld = new ArrayList<>();
    for (Parameter param : intent.params()) {
      String text = values.texts().get(param.name());
      if (text == null) {
        continue;
      }
      if (!param.secret() && secrets.mask(text).equals(text)) {
        json.raw(param.name(), param.type() == Parameter.Type.STRING ? JsonWriter.quote(text) : text);
      } else if (given.contains(param.name())) {
        withheld.add(param.name());
      }
    }
    return new Run.Params(json.end(), withheld);
  }
}
