package fleet.tower.operation;

import java.util.LinkedHashMap;
import java.util.Map;

import fleet.tower.access.Caller;

/** The operations that a process carries out, with their handlers. */
public record Operations(Map<Operation, Handler> handlers) {
  public Operations {
    handlers = Map.copyOf(handlers);
  }

  /** These operations and others. */
  public Operations and(Map<Operation, Handler> others) {
    Map<Operation, Handler> more = new LinkedHashMap<>(handlers);
    more.putAll(others);
    return new Operations(more);
  }

  /** Throws if the caller's role does not suffice. */
  public static void require(Operation operation, Caller caller) {
    caller.require(operation.role(), "call " + operation.method() + " " + operation.path());
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
