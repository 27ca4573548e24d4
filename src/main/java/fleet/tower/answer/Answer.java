package fleet.tower.answer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import fleet.tower.platform.json.JsonWriter;

/** The complete answer to a call, before its door writes it. */
public sealed interface Answer permits Answer.Done, Problem {
  int OK = 200;
  int CREATED = 201;
  int ACCEPTED = 202;

  /** A successful call. */
  record Done(int status, Map<String, String> headers, JsonWriter body) implements Answer {
    public Done {
      headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }
  }

  /** 200. */
  static Done ok(JsonWriter body) {
    return new Done(OK, Map.of(), body);
  }

  /** 201. */
  static Done created(JsonWriter body) {
    return new Done(CREATED, Map.of(), body);
  }
}
