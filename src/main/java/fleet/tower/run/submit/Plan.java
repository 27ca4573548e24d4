package fleet.tower.run.submit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.foreign.ForeignName;
import fleet.tower.foreign.ForeignTerms;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Step;
import fleet.tower.intent.Template;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.execute.PreparedRun;

/**
 * What a request would do: the state of its locks, and its steps with every secret masked.
 *
 * @param warnings those of the intent, and why no live host would execute the run
 */
public record Plan(PreparedRun prepared, @Nullable LockView lock, List<Foreign> foreign, List<String> steps,
    List<String> rollback, List<String> warnings) {
  static Plan of(PreparedRun prepared, Locks locks, ForeignLocks foreign, EligibleHosts hosts) {
    Intent.Procedure procedure = prepared.intent().procedure();
    return new Plan(prepared, lockView(prepared, locks), foreign(prepared.foreign(), foreign),
        steps(prepared, procedure.steps()), steps(prepared, procedure.rollback()),
        warnings(prepared.intent(), hosts));
  }

  private static List<String> warnings(Intent intent, EligibleHosts hosts) {
    Stream<String> absence = hosts.missingHere(intent.runsOn()).isEmpty()
        ? Stream.empty()
        : hosts.absence(intent.name(), new Run.Declaration(intent.digest(), intent.runsOn())).stream();
    return Stream.concat(intent.warnings().stream(), absence).toList();
  }

  private static List<String> steps(PreparedRun prepared, List<Step> steps) {
    return steps.stream().map(step -> step(prepared, step)).toList();
  }

  /** An intent that only observes takes no lock, but its plan shows the state of the lock that it names. */
  private static @Nullable LockView lockView(PreparedRun prepared, Locks locks) {
    if (prepared.lock() != null) {
      return locks.view(prepared.lock());
    }
    return Optional.ofNullable(prepared.intent().controls().lock())
        .map(template -> template.resolve(prepared.facts(null))).filter(LeaseName::isValid)
        .map(name -> locks.view(new LeaseName(name))).orElse(null);
  }

  /** A foreign lock of the intent, how the intent uses it, and its state. */
  public record Foreign(String use, ForeignName name, ForeignLockState state) {}

  private static List<Foreign> foreign(ForeignTerms terms, ForeignLocks foreign) {
    return Stream.concat(
        terms.respect().stream().map(name -> new Foreign("respect", name, foreign.state(name))),
        terms.exclusive().stream().map(name -> new Foreign("exclusive", name, foreign.state(name)))).toList();
  }

  private static String step(PreparedRun prepared, Step step) {
    JsonWriter json = JsonWriter.line().put("name", step.name());
    action(prepared, step.action(), json, "run", "script");
    JsonWriter env = JsonWriter.line();
    step.env().forEach((name, value) -> env.put(name, word(prepared, value)));
    json.put("env", env);
    Duration timeout = step.timeout() == null ? prepared.intent().timeouts().step() : step.timeout();
    json.put("timeout_seconds", timeout.toSeconds());
    if (step.rollback() != null) {
      action(prepared, step.rollback(), json, "rollback", "rollback_script");
    }
    return json.end();
  }

  private static void action(PreparedRun prepared, Step.Action action, JsonWriter json, String argv, String script) {
    switch (action) {
      case Step.Argv(List<Template> words) -> json.list(argv, words(prepared, words));
      case Step.Script(String text) -> json.put(script, text);
    }
  }

  private static List<String> words(PreparedRun prepared, List<Template> words) {
    return words.stream().map(word -> JsonWriter.quote(word(prepared, word))).toList();
  }

  private static String word(PreparedRun prepared, Template template) {
    return prepared.secrets().mask(template.resolve(variable -> isKnownAtRuntime(variable)
        ? "${" + variable.written() + "}"
        : prepared.facts(null).apply(variable)));
  }

  /** Variables whose value is known only when the run begins; the plan shows them as the intent has them. */
  private static boolean isKnownAtRuntime(Template.Variable variable) {
    return variable == Template.Fact.LOCK_TOKEN || variable == Template.Fact.REQUEST_ID;
  }

  /** The state of the lock, in one word. */
  public String state() {
    return lock == null ? "none" : lock.condition();
  }

  /** A hash that is equal for two requests that would do the same; it does not depend on the state of any lock. */
  public String hash() {
    return hash(prepared);
  }

  /** The hash of what a prepared run would do. */
  static String hash(PreparedRun prepared) {
    Intent.Procedure procedure = prepared.intent().procedure();
    List<String> parts = new ArrayList<>(steps(prepared, procedure.steps()));
    parts.add("rollback");
    parts.addAll(steps(prepared, procedure.rollback()));
    parts.add(prepared.intent().name() + "@" + prepared.intent().version());
    prepared.values().texts().forEach((name, text) -> parts.add(name + "=" + prepared.secrets().mask(text)));
    parts.add(prepared.lock() == null ? "" : prepared.lock().value());
    prepared.foreign().respect().forEach(name -> parts.add("respect " + name));
    prepared.foreign().exclusive().forEach(name -> parts.add("exclusive " + name));
    byte[] bytes = String.join("\n", parts).getBytes(StandardCharsets.UTF_8);
    return "sha256:" + HexFormat.of().formatHex(PreviousLock.sha256().digest(bytes));
  }
}
