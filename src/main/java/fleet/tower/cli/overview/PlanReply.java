package fleet.tower.cli.overview;

import java.util.List;
import java.util.stream.Collectors;

import fleet.tower.answer.Reply;
import fleet.tower.answer.Sentences;
import fleet.tower.intent.Effect;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.text.VisibleText;

/** A plan as the command line prints it. */
final class PlanReply {
  private PlanReply() {}

  /** Adds a plan to a reply. */
  static Reply of(Reply reply, JsonObject plan) {
    reply.data("intent    " + text(plan, "intent") + " " + text(plan, "intent_version") + ", " + text(plan, "mode"));
    reply.data("lock      " + plan.text("lock_name").map(name -> name + ": " + text(plan, "lock_state"))
        .orElse("none"));
    plan.text("heartbeat").filter("progress"::equals)
        .ifPresent(_ -> reply.data("heartbeat progress: the lock is renewed only while the work makes progress"));
    plan.object("held_by").ifPresent(holder -> reply.data("held by   " + text(holder, "actor") + " on "
        + text(holder, "host_id") + " (intent " + text(holder, "intent") + ", request " + text(holder, "request_id")
        + ")" + (plan.text("holder").filter("gone"::equals).isPresent()
            ? "; its process is gone, and the lock becomes stale after " + text(plan, "expires_at")
            : "")));
    for (JsonValue item : plan.items("foreign_locks")) {
      if (item instanceof JsonObject foreign) {
        reply.data("%-9s %s: %s%s".formatted(text(foreign, "use"), text(foreign, "foreign_lock"),
            text(foreign, "state"), foreign.object("held_by").map(by -> ", held by " + text(by, "holder")).or(
                () -> foreign.text("problem").map(problem -> ", " + problem)).orElse("")));
      }
    }
    plan.object("plan").flatMap(document -> document.text("effect")).filter(Effect::isSaid)
        .ifPresent(effect -> reply.data("effect    " + effect));
    plan.object("plan").flatMap(document -> document.object("approve")).ifPresent(terms -> reply.data("approve   "
        + "by " + terms.integer("n").orElse(1) + " of "
        + (terms.items("from").isEmpty()
            ? "those with the right to approve"
            : terms.items("from").stream().map(list -> String.join(" or ", words(list)))
                .collect(Collectors.joining(", and of ")))
        + ", before it begins"));
    plan.object("probe").ifPresent(probe -> {
      add("state     " + state(probe), reply);
      if (probe.get("differences") != null) {
        add("desired   " + (probe.isTrue("as_desired") ? "holds" : Sentences.differences(probe)), reply);
      }
    });
    plan.object("plan").flatMap(document -> document.object("secret_sources"))
        .ifPresent(sources -> sources.members().keySet().forEach(name -> sources.object(name).ifPresent(source -> add(
            "secret    " + name + " " + members(source), reply))));
    steps(plan, "steps", "step", reply);
    steps(plan, "rollback", "rollback", reply);
    plan.items("warnings").forEach(warning -> reply.data("warning   " + word(warning)));
    return reply.data("plan      " + text(plan, "plan_hash"));
  }

  /** What a probe saw. */
  static String state(JsonObject seen) {
    return seen.text("unknown").map(why -> "unknown: " + why)
        .orElseGet(() -> seen.object("state").map(JsonObject::raw).orElse(""));
  }

  static void steps(JsonObject plan, String list, String title, Reply reply) {
    for (JsonValue item : plan.items(list)) {
      if (item instanceof JsonObject step) {
        reply.data("%-9s %s, at most %d s%s".formatted(title, text(step, "name"),
            step.integer("timeout_seconds").orElse(0), step.isTrue("repeatable") ? ", repeatable" : ""));
        step.object("env").ifPresent(env -> env.members()
            .forEach((name, value) -> add("          with " + name + "=" + env.raw(value), reply)));
        for (String bound : List.of("limits", "output", "retry")) {
          step.object(bound).ifPresent(it -> add("          " + bound + " " + members(it), reply));
        }
        if (step.get("run") != null) {
          add("            " + words(step, "run"), reply);
        }
        lines(step, "script", reply);
        if (step.get("rollback") != null || step.get("rollback_script") != null) {
          reply.data("          rolled back by");
        }
        if (step.get("rollback") != null) {
          add("            " + words(step, "rollback"), reply);
        }
        lines(step, "rollback_script", reply);
      }
    }
  }

  private static String members(JsonObject json) {
    return json.members().entrySet().stream().map(one -> one.getKey() + "=" + json.raw(one.getValue()))
        .collect(Collectors.joining(" "));
  }

  private static void lines(JsonObject step, String key, Reply reply) {
    step.text(key).ifPresent(script -> script.lines().forEach(line -> add("            " + line, reply)));
  }

  /** Adds a line in which nothing is hidden. */
  static void add(String line, Reply reply) {
    reply.data(VisibleText.escaped(line));
  }

  private static List<String> words(JsonValue list) {
    return list instanceof JsonValue.Items items ? items.values().stream().map(PlanReply::word).toList() : List.of();
  }

  /** A command line quoted for a shell. */
  private static String words(JsonObject step, String key) {
    return step.items(key).stream().map(PlanReply::word)
        .map(word -> word.matches("[A-Za-z0-9_./:=@%+,-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  private static String word(JsonValue value) {
    return value instanceof JsonValue.Text text ? text.value() : "";
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElse("none");
  }
}
