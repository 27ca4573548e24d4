package fleet.tower.answer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import fleet.tower.lease.Lease;
import fleet.tower.operation.ApprovalOperations;
import fleet.tower.operation.Given;
import fleet.tower.operation.HaltOperations;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.time.TimeSpans;

/** What was done, in sentences, from the data of the answer, whoever gave it. */
public final class Sentences {
  private Sentences() {}

  /** The sentences about what an operation did; none for one that only shows something. */
  public static List<String> of(Operation operation, JsonObject data) {
    if (LockOperations.ALL.contains(operation)) {
      return ofLock(operation, data);
    }
    if (operation.equals(ApprovalOperations.VOTE)) {
      return List.of(ofVote(data));
    }
    if (HaltOperations.ALL.contains(operation)) {
      return ofHalt(operation, data);
    }
    if (MailboxOperations.ALL.contains(operation)) {
      return ofMailbox(operation, data);
    }
    if (RunOperations.ALL.contains(operation)) {
      return ofRun(operation, data);
    }
    return TaskOperations.ALL.contains(operation) && operation.method().hasBody()
        ? List.of(ofTask(operation, data) + (data.isTrue("replayed")
            ? "; this request was repeated; nothing was done again"
            : ""))
        : List.of();
  }

  private static String ofTask(Operation operation, JsonObject data) {
    if (operation.equals(TaskOperations.SWEEP)) {
      long released = number(data, "released");
      return released == 0
          ? "no claim has expired"
          : released + (released == 1 ? " expired claim" : " expired claims") + " removed";
    }
    JsonObject task = data.object("task").orElse(null);
    if (task == null) {
      return "no task is available now";
    }
    String name = "task " + text(task, "id");
    if (TaskText.isLost(data)) {
      return "warning: " + name + " is lost: attempt " + number(data, "claim_attempt") + " was yours; now it is "
          + TaskText.standing(task) + "; stop the work and claim another task";
    }
    if (operation.equals(TaskOperations.CREATE)) {
      return name + " created";
    }
    if (number(data, "event_id") == 0) {
      return name + " is not claimed; nothing was released";
    }
    return name + " is " + TaskText.standing(task)
        + (List.of(TaskOperations.CLAIM, TaskOperations.RESUME, TaskOperations.START).contains(operation)
            ? ": " + VisibleText.quoted(text(task, "title"))
            : "");
  }

  private static List<String> ofLock(Operation operation, JsonObject data) {
    List<String> sentences = new ArrayList<>();
    String lock = "lock " + text(data, "lock_name");
    if (operation.equals(LockOperations.ACQUIRE)) {
      data.object("stolen_from").ifPresent(holder -> sentences.add(lock + " was taken from " + holder(holder)
          + ", last alive " + text(holder, "last_heartbeat_at")));
      sentences.add(lock + (data.isTrue("already_held") ? " is already held" : " acquired") + ", fencing token "
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

  private static String ofVote(JsonObject data) {
    String run = "run " + text(data, "request_id");
    if (data.isTrue("revoked")) {
      return "later runs with the plan of " + run + " need a vote again";
    }
    String votes = " (" + number(data, "have") + " of " + number(data, "need") + ")";
    return switch (text(data, "state")) {
      case "approved" -> run + " is approved" + votes
          + "; it begins when a service has room for it, or when its requester repeats the request";
      case "rejected" -> run + " is rejected; it will not begin";
      default -> run + " needs more votes" + votes;
    };
  }

  private static List<String> ofHalt(Operation operation, JsonObject data) {
    if (operation.equals(HaltOperations.PLACE)) {
      return List.of("halt " + text(data, "name") + " is in force (" + text(data, "level") + ") "
          + data.text("expires_at").map(end -> "until " + end).orElse("until it is lifted"));
    }
    return operation.equals(HaltOperations.LIFT) ? List.of("halt " + text(data, "name") + " is lifted") : List.of();
  }

  private static List<String> ofMailbox(Operation operation, JsonObject data) {
    String message = "message " + text(data, "id");
    if (operation.equals(MailboxOperations.SEND)) {
      String mailbox = "mailbox " + text(data, "mailbox");
      return List.of(message + (data.isTrue("replayed")
          ? " was already sent to " + mailbox + "; nothing was done"
          : " is in " + mailbox));
    } else if (operation.equals(MailboxOperations.RECEIVE)) {
      List<JsonObject> messages = data.objects("messages");
      return messages.isEmpty()
          ? List.of("no message is available")
          : messages.stream().map(Sentences::received).toList();
    } else if (operation.equals(MailboxOperations.ACK)) {
      return List.of(message + " acknowledged");
    } else if (operation.equals(MailboxOperations.NACK)) {
      return List.of(message + " is available again from " + text(data, "visible_at"));
    } else if (operation.equals(MailboxOperations.REJECT)) {
      return List.of(message + " is a dead letter");
    } else if (operation.equals(MailboxOperations.EXTEND)) {
      return List.of(message + " is yours until " + text(data, "visible_at"));
    } else if (operation.equals(MailboxOperations.REPLY)) {
      return data.object("reply").map(reply -> "reply " + text(reply, "id") + " is in mailbox "
          + text(reply, "mailbox") + ", and message " + text(reply, "in_reply_to")
          + (data.isTrue("acknowledged") ? " is acknowledged" : " is still yours")).stream().toList();
    }
    return ofMailbox(data, operation.equals(MailboxOperations.PURGE) ? "message" : "dead letter");
  }

  private static String received(JsonObject message) {
    return "message " + text(message, "id") + " is yours until " + text(message, "visible_at") + " (delivery "
        + number(message, "delivery_count") + ")"
        + message.text("reply_to").map(replies -> "; " + replies + " expects the reply").orElse("");
  }

  /** The sentence about many messages; none if they were only shown. */
  private static List<String> ofMailbox(JsonObject data, String what) {
    for (String change : List.of("purged", "revived")) {
      if (data.get(change) != null) {
        long number = number(data, change);
        return List.of(number + " " + what + (number == 1 ? "" : "s") + " of mailbox " + text(data, "mailbox") + " "
            + (change.equals("purged") ? "deleted" : change));
      }
    }
    return List.of();
  }

  private static List<String> ofRun(Operation operation, JsonObject data) {
    String run = "run " + text(data, "request_id");
    if (operation.equals(RunOperations.CANCEL)) {
      return List.of(run + " is being cancelled; see `" + CommandLine.of(RunOperations.VIEW,
          Given.NOTHING.with(RunOperations.RUN, text(data, "request_id"))) + "`");
    }
    if (operation.equals(RunOperations.PROBE)) {
      return ofProbe(data);
    }
    if (operation.equals(RunOperations.SETTLE)) {
      return List.of(run + ": " + text(data, "settled") + data.text("unknown").map(why -> ": " + why).orElse("")
          + (data.isTrue("lock_released") ? "; its lock " + text(data, "lock_name") + " is released" : ""));
    }
    return operation.equals(RunOperations.BEAT) && !data.isTrue("beaten")
        ? List.of(run + " needs no progress reports now: it is waiting, or its intent has no heartbeat: progress")
        : List.of();
  }

  private static List<String> ofProbe(JsonObject data) {
    String state = "the state of " + text(data, "intent");
    return data.text("unknown").map(why -> List.of(state + " is unknown: " + why))
        .orElseGet(() -> data.get("desired") == null
            ? List.of()
            : List.of(state + (data.isTrue("as_desired")
                ? " is as desired"
                : " is not as desired: " + differences(data))));
  }

  /** What of a state is not as desired, in words. */
  public static String differences(JsonObject probe) {
    return probe.objects("differences").stream()
        .map(it -> text(it, "path") + Optional.ofNullable(it.get("actual")).map(actual -> " is " + it.raw(actual))
            .orElse(" is missing") + ", not " + it.raw(Objects.requireNonNull(it.get("desired"))))
        .collect(Collectors.joining("; "));
  }

  /** The rows of a list in words, each after a line break; empty for a list that is shown as JSON. */
  public static Optional<String> rows(Operation operation, List<JsonObject> rows) {
    return operation.equals(RunOperations.LIST)
        ? Optional.of(rows.stream().map(row -> "\n" + Stream.of("request_id", "intent", "status", "created_at", "actor")
            .map(member -> text(row, member)).collect(Collectors.joining(" "))).collect(Collectors.joining()))
        : Optional.empty();
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
}
