package fleet.tower.answer;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/**
 * A refused or failed call: a status and a sentence; then the {@code error} code and its members, {@code suggestion},
 * and the remedies that help.
 */
public final class Problem implements Answer {
  private final int status;
  private final @Nullable ErrorCode code;
  private final String detail;
  private final JsonWriter members;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private List<Remedy> remedies;
  private @Nullable String toAgents;
  private boolean isGeneral = true;

  private Problem(int status, @Nullable ErrorCode code, String detail, JsonWriter members, List<Remedy> remedies) {
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.members = members;
    this.remedies = List.copyOf(remedies);
  }

  /** A problem with a sentence and a suggestion. */
  public static Problem of(ErrorCode code, String detail, String suggestion) {
    return of(code.status(), code, detail, suggestion);
  }

  /** The same with another status of the same kind. */
  public static Problem of(int status, ErrorCode code, String detail, String suggestion) {
    return new Problem(status, code, detail, error(code).put("suggestion", suggestion), Remedies.of(code));
  }

  /** A problem with a sentence, a suggestion and other members. */
  public static Problem of(ErrorCode code, String detail, JsonWriter members) {
    return new Problem(code.status(), code, detail, error(code).members(members), Remedies.of(code));
  }

  /** A problem whose members have the code already. */
  public static Problem ofAnswer(ErrorCode code, String detail, JsonWriter answer) {
    return new Problem(code.status(), code, detail, answer, Remedies.of(code));
  }

  /** A problem whose members have the code already, read from a record. */
  public static Problem of(int status, String detail, JsonWriter members) {
    return new Problem(status, null, detail, members, List.of());
  }

  private static JsonWriter error(ErrorCode code) {
    return JsonWriter.line().put("error", code.code());
  }

  /** Adds a member. */
  public Problem with(String member, String value) {
    members.put(member, value);
    return this;
  }

  /** Adds a member. */
  public Problem with(String member, long value) {
    members.put(member, value);
    return this;
  }

  /** Adds the place that the request would have, and when it makes sense to repeat it. */
  public Problem expecting(LockEstimates.Estimate estimate) {
    estimate.addTo(members);
    return this;
  }

  /** Adds a header. */
  public Problem header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** Sets the remedies that help, best first; those of its code by default. */
  public Problem next(List<Remedy> those) {
    remedies = List.copyOf(those);
    isGeneral = false;
    return this;
  }

  /** Replaces the suggestion for callers that are no operators. */
  public Problem suggestingToAgents(String words) {
    toAgents = words;
    return this;
  }

  /** The status of an HTTP answer. */
  public int status() {
    return status;
  }

  /** The code; null if it was read from a record. */
  public @Nullable ErrorCode code() {
    return code;
  }

  /** The remedies that help, best first. */
  List<Remedy> remedies() {
    return remedies;
  }

  /** Whether the remedies follow from the code alone. */
  boolean isGeneral() {
    return isGeneral;
  }

  /** The code and its members. */
  JsonWriter members() {
    return members;
  }

  public Map<String, String> headers() {
    return Collections.unmodifiableMap(headers);
  }

  /** What is wrong, in a sentence. */
  public String detail() {
    return detail;
  }

  /**
   * The members that every door shows: {@code error} and its members, {@code suggestion}, and {@code next_actions} if
   * its caller may take any.
   */
  public JsonWriter members(RefusedRequest refused) {
    List<String> actions = refused.actions(remedies).stream().map(NextAction::json).toList();
    JsonWriter json = members(refused.isOperator());
    return actions.isEmpty() ? json : json.list("next_actions", actions);
  }

  /** The same members without the actions. */
  public JsonWriter members(boolean toOperators) {
    return toAgents == null || toOperators ? JsonWriter.line().members(members) : withSuggestion(toAgents);
  }

  private JsonWriter withSuggestion(String words) {
    JsonObject all = JsonReader.readOwn(members.end());
    JsonWriter json = JsonWriter.line();
    all.members()
        .forEach((name, value) -> json.raw(name, name.equals("suggestion") ? JsonWriter.quote(words) : all.raw(value)));
    return json;
  }
}
