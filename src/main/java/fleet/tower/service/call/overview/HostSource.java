package fleet.tower.service.call.overview;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.members.HostDifferences;
import fleet.tower.run.members.Hosts;
import fleet.tower.run.members.Member;
import fleet.tower.run.members.MemberStore;

/** The hosts of executors. */
final class HostSource implements OverviewSource {
  private static final String HOSTS = "hosts";

  private final Hosts hosts;

  HostSource(Hosts hosts) {
    this.hosts = hosts;
  }

  @Override
  public List<String> sections() {
    return List.of(HOSTS);
  }

  @Override
  public Rows read() {
    Map<String, List<MemberStore.Entry>> byHost = new LinkedHashMap<>();
    List<MemberStore.Entry> all = hosts.executors();
    HostDifferences differences = new HostDifferences(all);
    all.forEach(entry -> byHost.computeIfAbsent(entry.member().hostId(), _ -> new ArrayList<>()).add(entry));
    Builder rows = Rows.of(sections());
    byHost.forEach((host, entries) -> rows.put(HOSTS, host, JsonWriter.line().put("host_id", host)
        .put("alive", entries.stream().anyMatch(MemberStore.Entry::isAlive))
        .list("executors", entries.stream().map(entry -> executor(entry).end()).toList())
        .members(texts("labels", differences.labels(host))).members(texts("warnings", differences.warnings(host)))));
    return rows.build();
  }

  /** A member with texts; nothing without any. */
  private static JsonWriter texts(String member, List<String> texts) {
    return texts.isEmpty()
        ? JsonWriter.line()
        : JsonWriter.line().list(member, texts.stream().map(JsonWriter::quote).toList());
  }

  private static JsonWriter executor(MemberStore.Entry entry) {
    Member member = entry.member();
    return JsonWriter.line().put("id", member.id()).put("kind", member.kind().toString()).put("pid", member.pid())
        .put("version", member.version()).put("alive", entry.isAlive()).put("entered_at", entry.enteredAt());
  }
}
