package fleet.tower.service.call.overview;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import fleet.tower.lease.Age;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.platform.json.JsonWriter;

/** The locks that are not free, and the freezes: one read of the store gives both. */
final class LockSource implements OverviewSource {
  private static final String LOCKS = "locks";
  private static final String FREEZES = "freezes";

  private final Locks locks;
  /** The leases that were read last; guarded by this. */
  private final Map<LeaseName, Lease> leases = new HashMap<>();

  LockSource(Locks locks) {
    this.locks = locks;
  }

  @Override
  public List<String> sections() {
    return List.of(LOCKS, FREEZES);
  }

  /** The lease of a lock as it was read last. */
  synchronized Optional<Lease> lease(LeaseName name) {
    return Optional.ofNullable(leases.get(name));
  }

  @Override
  public synchronized Rows read() {
    List<LockView> views = locks.list();
    Set<LeaseName> awaited = locks.awaited();
    Builder rows = Rows.of(sections());
    leases.clear();
    views.forEach(view -> put(rows, view, awaited));
    return rows.build();
  }

  @Override
  public synchronized Rows refresh(Rows last, Set<LeaseName> names) {
    Builder rows = last.copy();
    for (LeaseName name : names) {
      LockView view = locks.view(name);
      rows.remove(LOCKS, name.value());
      rows.remove(FREEZES, name.value());
      leases.remove(name);
      put(rows, view, names);
    }
    return rows.build();
  }

  private void put(Builder rows, LockView view, Set<LeaseName> awaited) {
    LeaseName name = view.name();
    JsonWriter row = JsonWriter.line().put("lock_name", name.value()).put("state", view.state().toString());
    switch (view.leaseState()) {
      case LeaseState.Held(Lease lease, Age _) -> {
        leases.put(name, lease);
        putLease(row, lease);
      }
      case LeaseState.Corrupt(String problem) -> row.put("problem", problem);
      case LeaseState.Unsupported(String version) -> row.put("problem", "lock_version " + version + " is unknown");
      case LeaseState.Vacant() -> {
      }
    }
    if (view.state() != LeaseState.State.FREE) {
      rows.put(LOCKS, name.value(), row.put("waiters", awaited.contains(name) ? locks.waiters(name) : 0));
    }
    switch (view.freeze()) {
      case FreezeState.Frozen(Freeze freeze) -> rows.put(FREEZES, name.value(), JsonWriter.line()
          .put("name", name.value()).put("frozen_by", freeze.actor()).put("reason", freeze.reason())
          .put("created_at", freeze.createdAt()).put("expires_at", freeze.expiresAt()));
      case FreezeState.Corrupt(String _, String problem) -> rows.put(FREEZES, name.value(),
          JsonWriter.line().put("name", name.value()).put("problem", problem));
      case FreezeState.None() -> {
      }
    }
  }

  private static void putLease(JsonWriter row, Lease lease) {
    Holder holder = lease.holder();
    row.put("request_id", lease.requestId().value()).put("actor", holder.actor()).put("intent", holder.intent())
        .put("host_id", holder.hostId()).put("created_at", lease.createdAt())
        .put("last_heartbeat_at", lease.lastHeartbeatAt()).put("expires_at", lease.expiresAt())
        .put("ttl_seconds", lease.ttl().seconds()).put("fencing_token", lease.token().value());
    if (holder.isGone()) {
      row.put("holder", "gone");
    }
  }
}
