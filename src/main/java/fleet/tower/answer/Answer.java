package fleet.tower.answer;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.operation.ApprovalCallOutcome;
import fleet.tower.operation.Given;
import fleet.tower.operation.HaltCallOutcome;
import fleet.tower.operation.HomeCallOutcome;
import fleet.tower.operation.LockCallOutcome;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxCallOutcome;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Outcome;
import fleet.tower.operation.RunCallOutcome;
import fleet.tower.operation.TaskCallOutcome;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.list.RowBudget;
import fleet.tower.platform.list.Rows;

/** The complete answer to a request, before its door writes it. */
public sealed interface Answer permits Answer.Done, Answer.Listing, Problem {
  int OK = 200;
  int CREATED = 201;
  int ACCEPTED = 202;

  /**
   * A request that was carried out.
   *
   * @param remedies what its caller may do next, best first
   */
  record Done(int status, Map<String, String> headers, JsonWriter body, List<Remedy> remedies) implements Answer {
    public Done {
      headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
      remedies = List.copyOf(remedies);
    }

    /** An answer without remedies. */
    public Done(int status, Map<String, String> headers, JsonWriter body) {
      this(status, headers, body, List.of());
    }

    /** The same answer with the actions that its caller may take, in place of the remedies. */
    public Done to(RefusedRequest refused) {
      return remedies.isEmpty() ? this : new Done(status, headers, body(body, remedies, refused));
    }

    /** A body with the actions that its reader may take. */
    public static JsonWriter body(JsonWriter body, List<Remedy> remedies, RefusedRequest refused) {
      List<String> actions = refused.actions(remedies).stream().map(NextAction::json).toList();
      return actions.isEmpty() ? body : JsonWriter.line().members(body).list("next_actions", actions);
    }
  }

  /**
   * A page of a list, which a door reads row by row.
   *
   * @param member the member of the rows
   * @param more the members that follow them
   * @param page the page; null for a list without pages
   */
  record Listing(String member, JsonWriter more, @Nullable Page page, Source rows) implements Answer {

    /** The list in one piece. */
    public JsonWriter data() {
      Page whole = page;
      Rows<String> read = whole == null
          ? Rows.<JsonWriter>collect(row -> row, reader -> rows.read(row -> reader.test(row.row())))
              .as(JsonWriter::end)
          : Rows.collect(whole, RowBudget.MAX_SIZE, row -> row,
              reader -> rows.read(row -> reader.test(row.as(JsonWriter::end))));
      return read.jsonOf(member, row -> row).members(more);
    }
  }

  /** Passes the rows of a page, and one more if there is one, to a reader until it returns false. */
  @FunctionalInterface
  interface Source {
    void read(Predicate<Placed<JsonWriter>> reader);
  }

  /**
   * What came of a request, as the answer to it.
   *
   * @param estimates when a lock may be free; null if nothing is known about the runs that hold locks
   */
  static Answer of(Outcome outcome, @Nullable LockEstimates estimates, Instant now) {
    return switch (outcome) {
      case LockCallOutcome lock -> LockAnswers.of(lock, estimates, now);
      case MailboxCallOutcome mailbox -> MailboxAnswers.of(mailbox);
      case TaskCallOutcome task -> TaskAnswers.of(task);
      case RunCallOutcome run -> RunAnswers.of(run, estimates, now);
      case HomeCallOutcome home -> HomeAnswers.of(home);
      case HaltCallOutcome halt -> HaltAnswers.of(halt);
      case ApprovalCallOutcome approval -> ApprovalAnswers.of(approval);
    };
  }

  /** The answer to a client that gave up the wait of its request. */
  static Problem givenUp(Operation operation, Given given) {
    return MailboxOperations.ALL.contains(operation)
        ? MailboxAnswers.givenUp(given.get(MailboxOperations.MAILBOX))
        : LockAnswers.givenUp(given.get(LockOperations.NAME));
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
