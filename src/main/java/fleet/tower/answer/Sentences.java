package fleet.tower.answer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.lease.Lease;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.Operation;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.time.TimeSpans;

/** What was done, in sentences, from the data of the answer, whoever gave it. */
public final class Sentences {
  private Sentences() {}

  /** The sentences about what an operation did; none for one that only shows something. */
  public static List<String> of(Operation operation, JsonObject data) {
    return LockOperations.ALL.contains(operation) ? ofLock(operation, data) : List.of();
  }

  private static List<String> ofLock(Operation operation, JsonObject data) {
    List<String> sentences = new ArrayList<>();
    String lock = "lock " + text(data, "lock_name");
    if (operation.equals(LockOperations.ACQUIRE)) {
      data.object("stolen_from").ifPresent(holder -> sentences.add(lock + " was taken from " + holder(holder)
          + ", last alive " + text(holder, "last_heartbeat_at")));
      sentences.add(lock + (isTrue(data, "already_held") ? " is already held" : " acquired") + ", fencing token "
          + number(data, "fencing_token") + ", until " + text(data, "expires_at") + " unless renewed");
    } else if (operation.equals(LockOperations.RENEW)) {
      if (number(data, "late_by_seconds") > 0) {
        sentences.add("warning: " + lock + " had been stale for " + span(data, "late_by_seconds")
            + "; it was not taken meanwhile");
      }
      sentences.add(lock + " renewed until " + text(data, "expires_at"));
    } else if (operation.equals(LockOperations.RELEASE)) {
      sentences.add(lock + " released after " + span(data, "held_duration_seconds"));
    } else if (operation.equals(LockOperations.FORCE_RELEASE)) {
      sentences.add(lock + " removed; it was "
          + data.object("previous_lock").map(holder -> "held by " + holder(holder)).orElse("unreadable"));
    } else if (operation.equals(LockOperations.FREEZE)) {
      sentences.add(lock + " is frozen until " + text(data, "expires_at") + "; its current holder continues");
    } else if (operation.equals(LockOperations.UNFREEZE)) {
      sentences.add(lock + " is no longer frozen" + data.object("previous_freeze").map(freeze -> "; it was frozen by "
          + text(freeze, "actor") + " until " + text(freeze, "expires_at") + ": "
          + VisibleText.quoted(text(freeze, "reason"))).orElse(""));
    }
    return sentences;
  }

  private static String holder(JsonObject held) {
    return Lease.describeHolder(text(held, "actor"), text(held, "host_id"), text(held, "intent"),
        text(held, "request_id"));
  }

  private static String span(JsonObject json, String member) {
    return TimeSpans.format(Duration.ofSeconds(number(json, member)));
  }

  private static long number(JsonObject json, String member) {
    return json.integer(member).orElse(0);
  }

  private static String text(JsonObject json, String member) {
    return json.text(member).orElse("");
  }

  private static boolean isTrue(JsonObject json, String member) {
    return json.get(member) instanceof JsonValue.Bool bool && bool.value();
  }
}
