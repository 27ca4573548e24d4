package fleet.tower.service.mcp.tool;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.intent.Effect;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Template;

/** What a model reads about an intent: what it does, under which lock, how it is undone, and how long it takes. */
final class IntentText {
  private static final int MAX_LENGTH = 1000;
  private static final int MINUTE = 60;

  private IntentText() {}

  /** The secrets without which an intent does not run. */
  static List<String> requiredSecrets(Intent intent) {
    return intent.params().stream().filter(param -> param.secret() && param.required()).map(Parameter::name).toList();
  }

  static String of(Intent intent, Optional<Duration> usual) {
    List<String> sentences = new ArrayList<>();
    sentences.add(PlainText.sentence(intent.metadata().description()));
    sentences.add(effect(intent));
    List<String> foreign = Stream.concat(intent.controls().respect().stream(), intent.controls().exclusive().stream())
        .map(IntentText::shown).distinct().toList();
    if (!foreign.isEmpty()) {
      sentences.add("Refused while another tool holds " + String.join(" or ", foreign) + ".");
    }
    usual.ifPresent(duration -> sentences.add("Usually takes " + inWords(duration) + "."));
    List<String> secrets = requiredSecrets(intent);
    if (!secrets.isEmpty()) {
      sentences.add("It needs the secret " + String.join(", ", secrets) + ", which no tool takes.");
    }
    return PlainText.line(String.join(" ", sentences), MAX_LENGTH);
  }

  private static String effect(Intent intent) {
    String lock = intent.lock().map(it -> "Takes the lock " + shown(it)).orElse("Takes no lock");
    return switch (intent.mode()) {
      case OBSERVE -> "Only reads.";
      case MUTATE -> lock + "; " + undoing(intent) + "." + undone(intent.effect());
      case RECONCILE -> lock + "; may be repeated." + undone(intent.effect());
    };
  }

  private static String undone(Effect effect) {
    return switch (effect) {
      case NONE, UNKNOWN -> "";
      case REVERSIBLE -> " What it does can be undone.";
      case EXTERNAL -> " What it does can be undone only by others or by hand.";
      case IRREVERSIBLE -> " What it does cannot be undone.";
    };
  }

  private static String shown(Template template) {
    return template.source().replace("${params.", "${");
  }

  private static String undoing(Intent intent) {
    Intent.Procedure procedure = intent.procedure();
    long undone = procedure.steps().stream().filter(step -> step.rollback() != null).count();
    String steps = isUndone(intent) ? "every step" : undone + " of " + procedure.steps().size() + " steps";
    if (undone == 0) {
      return procedure.rollback().isEmpty() ? "a failure undoes nothing" : "a failure runs its rollback";
    }
    return "a failure undoes " + steps + (procedure.rollback().isEmpty() ? "" : " and runs its rollback");
  }

  /** Whether a failure undoes every step. */
  static boolean isUndone(Intent intent) {
    return intent.procedure().steps().stream().allMatch(step -> step.rollback() != null);
  }

  /** What the tool of an intent does to its environment, as far as that is known. */
  static String annotations(Intent intent) {
    return switch (intent.mode()) {
      case OBSERVE -> "{\"readOnlyHint\":true}";
      case MUTATE -> "{\"destructiveHint\":" + isDestructive(intent, !isUndone(intent)) + "}";
      case RECONCILE -> "{\"destructiveHint\":" + isDestructive(intent, false) + ",\"idempotentHint\":true}";
    };
  }

  private static boolean isDestructive(Intent intent, boolean otherwise) {
    return switch (intent.effect()) {
      case NONE, REVERSIBLE -> false;
      case EXTERNAL, IRREVERSIBLE -> true;
      case UNKNOWN -> otherwise;
    };
  }

  private static String inWords(Duration duration) {
    long seconds = duration.plusMillis(500).toSeconds();
    if (seconds < 1) {
      return "less than 1 s";
    }
    return seconds < 2 * MINUTE ? seconds + " s" : Math.round((double) seconds / MINUTE) + " min";
  }
}
