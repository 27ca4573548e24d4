package fleet.tower.service.mcp.wire;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.Remedy;

/** The error for a problem of a method that is not a tool. Its data are the members of the problem. */
public final class Failure {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int FIRST_SERVER_ERROR = 500;

  private Failure() {}

  /** The error of a problem: of the server if the same request may succeed later, otherwise of the request. */
  public static ProtocolError of(Problem problem) {
    boolean isOfServer = problem.status() >= FIRST_SERVER_ERROR || problem.status() == TOO_MANY_REQUESTS;
    return new ProtocolError(isOfServer ? ProtocolError.INTERNAL_ERROR : ProtocolError.INVALID_PARAMS,
        problem.detail(), problem.members(new NoActions()));
  }

  /** A request for which no next actions are offered. */
  private record NoActions() implements RefusedRequest {

    @Override
    public boolean permits(@Nullable Role needed) {
      return false;
    }

    @Override
    public boolean permitsIntent(String intent) {
      return false;
    }

    @Override
    public NextAction again(List<Remedy.Change> changes, @Nullable String intent, String why) {
      throw new IllegalStateException("no step is permitted");
    }

    @Override
    public NextAction listing() {
      throw new IllegalStateException("no step is permitted");
    }
  }
}
