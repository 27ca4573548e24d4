package fleet.tower.answer;

import java.util.List;

import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.members.HostDifferences.Difference;
import fleet.tower.run.members.Hosts.Host;
import fleet.tower.run.members.Member;
import fleet.tower.run.members.MemberStore;

/** Hosts as JSON, the same at all doors. */
public final class HostJson {
  private HostJson() {}

  /** All hosts. */
  public static JsonWriter hosts(List<Host> hosts) {
    return JsonWriter.line().list("hosts", hosts.stream().map(host -> host(host).end()).toList());
  }

  private static JsonWriter host(Host host) {
    return JsonWriter.line().put("host_id", host.name()).put("alive", host.isAlive())
        .list("executors", host.executors().stream().map(entry -> executor(entry).end()).toList())
        .list("runs", host.runs().stream().map(run -> run(run).end()).toList())
        .list("locks", host.locks().stream().map(lock -> lock(lock).end()).toList())
        .list("labels", quoted(host.labels()))
        .list("intents_differ", host.differing().stream().map(it -> difference(it).end()).toList())
        .list("warnings", quoted(host.warnings()));
  }

  private static List<String> quoted(List<String> texts) {
    return texts.stream().map(JsonWriter::quote).toList();
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
    JsonWriter json = JsonWriter.line().put("lock_name", lock.name().value()).put("state", lock.state().toString());
    return switch (lock.leaseState()) {
      case LeaseState.Held held -> json.put("request_id", held.lease().requestId().value()).put("fencing_token",
          held.lease().token().value());
      case LeaseState.Vacant _,LeaseState.Unusable _ -> json;
    };
  }

  private static JsonWriter difference(Difference difference) {
    return JsonWriter.line().put("intent", difference.intent()).put("digest", difference.digest()).list("others",
        difference.others().stream()
            .map(other -> JsonWriter.line().put("host_id", other.hostId()).put("digest", other.digest()).end())
            .toList());
  }
}
