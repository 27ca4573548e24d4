package fleet.tower.run.members;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;

/** The hosts of a home: their live processes, their runs and their locks. */
public final class Hosts {
  private final MemberStore members;
  private final RunStore runs;
  private final Locks locks;

  public Hosts(MemberStore members, RunStore runs, Locks locks) {
    this.members = members;
    this.runs = runs;
    this.locks = locks;
  }

  /** One host. */
  private static final class Host {
    private final List<MemberStore.Entry> executors = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();
    private final List<LockView> locks = new ArrayList<>();
  }

  /** The executors of all hosts, ordered by host and time, without those that died a while ago. */
  public List<MemberStore.Entry> executors() {
    return members.list();
  }

  /** All hosts by name, including those known only by a lock. */
  public JsonWriter json() {
    Map<String, Host> hosts = new TreeMap<>();
    Function<String, Host> host = name -> hosts.computeIfAbsent(name, _ -> new Host());
    List<MemberStore.Entry> entries = members.list();
    entries.forEach(entry -> host.apply(entry.member().hostId()).executors.add(entry));
    for (RunStore.Unfinished unfinished : runs.unfinished()) {
      entries.stream().filter(entry -> entry.member().id().equals(unfinished.executor())).findFirst()
          .ifPresent(entry -> runs.find(unfinished.requestId())
              .ifPresent(run -> host.apply(entry.member().hostId()).runs.add(run)));
    }
    for (LockView lock : locks.list()) {
      String holder = holder(lock);
      if (holder != null) {
        host.apply(holder).locks.add(lock);
      }
    }
    IntentDifferences differences = new IntentDifferences(entries);
    return JsonWriter.line().list("hosts", hosts.entrySet().stream()
        .map(one -> agreement(json(one.getKey(), one.getValue()), one.getKey(), differences).end()).toList());
  }

  /** The intents in which the hosts differ. */
  public IntentDifferences differences() {
    return new IntentDifferences(members.list());
  }

  private static JsonWriter agreement(JsonWriter json, String host, IntentDifferences differences) {
    return json.list("labels", quoted(differences.labels(host))).list("intents_differ", differences.json(host))
        .list("warnings", quoted(differences.warnings(host)));
  }

  private static List<String> quoted(List<String> texts) {
    return texts.stream().map(JsonWriter::quote).toList();
  }

  private static @Nullable String holder(LockView lock) {
    return switch (lock.leaseState()) {
      case LeaseState.Held held -> held.lease().holder().hostId();
      case LeaseState.Vacant _,LeaseState.Corrupt _,LeaseState.Unsupported _ -> null;
    };
  }

  private static JsonWriter json(String name, Host host) {
    return JsonWriter.line().put("host_id", name)
        .put("alive", host.executors.stream().anyMatch(MemberStore.Entry::isAlive))
        .list("executors", host.executors.stream().map(entry -> executor(entry).end()).toList())
        .list("runs", host.runs.stream().map(run -> run(run).end()).toList())
        .list("locks", host.locks.stream().map(lock -> lock(lock).end()).toList());
  }

  private static JsonWriter executor(MemberStore.Entry entry) {
    Member member = entry.member();
    return JsonWriter.line().put("id", member.id()).put("kind", member.kind().toString()).put("pid", member.pid())
        .put("home", member.home()).put("version", member.version()).put("alive", entry.isAlive())
        .put("entered_at", entry.enteredAt()).put("seen_at", entry.seenAt());
  }

  private static JsonWriter run(Run run) {
    return JsonWriter.line().put("request_id", run.requestId().value()).put("intent", run.intent())
        .put("status", run.status().toString());
  }

  private static JsonWriter lock(LockView lock) {
    JsonWriter json = JsonWriter.line().put("lock_name", lock.name().value())
        .put("state", lock.state().toString());
    return switch (lock.leaseState()) {
      case LeaseState.Held held -> json.put("request_id", held.lease().requestId().value()).put("fencing_token",
          held.lease().token().value());
      case LeaseState.Vacant _,LeaseState.Corrupt _,LeaseState.Unsupported _ -> json;
    };
  }
}
