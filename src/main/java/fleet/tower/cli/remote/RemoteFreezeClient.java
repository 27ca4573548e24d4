package fleet.tower.cli.remote;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RemoteRefusal;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.FreezeClient;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.remote.Server;

/** The freezes of a service, which knows the actor of a call by the token. */
record RemoteFreezeClient(Server server) implements FreezeClient {
  private static final String REQUEST_ID = "request_id";

  @Override
  public FreezeOutcome freeze(FreezeRequest request, @Nullable Door door) {
    JsonObject json = server.put("/freezes/" + request.name(), JsonWriter.line().put(REQUEST_ID,
        request.requestId().value()).put("ttl_seconds", request.ttl().seconds()).put("reason", request.reason()))
        .json();
    return new FreezeOutcome.Frozen(LockReader.freeze(json));
  }

  @Override
  public UnfreezeOutcome unfreeze(Actor actor, LeaseName name, RequestId requestId) {
    try {
      JsonObject json = server.delete("/freezes/" + name + "?" + REQUEST_ID + "=" + Server.part(requestId.value()))
          .json();
      FreezeState lifted = json.object("previous_freeze")
          .<FreezeState>map(it -> new FreezeState.Frozen(LockReader.freeze(it)))
          .orElseGet(() -> new FreezeState.Corrupt("", ""));
      return new UnfreezeOutcome.Unfrozen(lifted, Instant.EPOCH);
    } catch (RemoteRefusal refusal) {
      if (refusal.is(ErrorCode.NOT_FROZEN)) {
        return new UnfreezeOutcome.NotFrozen();
      }
      throw refusal;
    }
  }
}
