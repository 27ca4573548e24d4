package fleet.tower.operation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.access.Caller;

/** The operations that a process carries out, with their handlers. */
public record Operations(Map<Operation, Handler> handlers) {
  public Operations {
    handlers = Map.copyOf(handlers);
  }

  /** Every operation, whoever carries it out. */
  public static Stream<Operation> all() {
    return Stream.of(RunOperations.ALL, LockOperations.ALL, HomeOperations.ALL, TaskOperations.ALL,
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
