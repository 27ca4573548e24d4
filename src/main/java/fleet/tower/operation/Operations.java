package fleet.tower.operation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.access.Caller;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.task.Tasks;

/** The operations that a process carries out, with their handlers. */
public record Operations(Map<Operation, Handler> handlers) {
  public Operations {
    handlers = Map.copyOf(handlers);
  }

  /** All that a home's process with an engine carries out for its callers. */
  public static Operations of(Home home, RunEngine engine, QueuedRuns queued, Tasks tasks, Mailboxes mailboxes,
      WaitingCalls waits) {
    return new Operations(new LockHandlers(home.locks(), home.freezes(), LockHandlers.Host.of(home), home.scheduler(),
        waits, engine.heartbeats()::lag).all())
        .and(new RunHandlers(RunHandlers.Source.of(engine, queued), home.scheduler(), home.time(), waits).all())
        .and(new ApprovalHandlers(() -> engine.runs().approvals()).all())
        .and(new HaltHandlers(home.halts(), home::newRequestId).all())
        .and(new HomeHandlers(() -> home.runs().hosts(engine).list(), home::auditTrail).all())
        .and(new MailboxHandlers(() -> mailboxes, home.halts(), waits).all())
        .and(new TaskHandlers(() -> tasks, engine::catalogue, home.halts()).all());
  }

  /** Every operation, whoever carries it out. */
  public static Stream<Operation> all() {
    return Stream.of(RunOperations.ALL, ApprovalOperations.ALL, LockOperations.ALL, HaltOperations.ALL,
        HomeOperations.ALL, TaskOperations.ALL,
        MailboxOperations.ALL, List.of(RunOperations.AWAIT)).flatMap(List::stream);
  }

  /** The list that a path belongs to, as {@code GET /locks} for the path of a lock. */
  public static Optional<Operation> listOf(String path) {
    String first = "/" + (path + "/").split("/", 3)[1];
    return all().filter(operation -> operation.method() == Operation.Method.GET && operation.path().equals(first))
        .findFirst();
  }

  /** These operations and others. */
  public Operations and(Map<Operation, Handler> others) {
    Map<Operation, Handler> more = new LinkedHashMap<>(handlers);
    more.putAll(others);
    return new Operations(more);
  }

  /** Throws if the caller's role does not suffice. */
  public static void require(Operation operation, Caller caller) {
    caller.require(operation.role(), "call " + operation.call());
  }

  /** Carries out a request for a caller whose role suffices. */
  public Outcome handle(Operation operation, Handler.Request request) {
    require(operation, request.caller());
    Handler handler = handlers.get(operation);
    if (handler == null) {
      throw new IllegalStateException("no handler of " + operation.id());
    }
    return handler.handle(request);
  }
}
