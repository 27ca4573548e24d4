package fleet.tower.run.members;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The members of a home that no other host shares: this process alone. Presence files show the other processes of this host. */
public record SingleHost(Member self, Instant since) implements MemberStore {

  @Override
  public Optional<Entry> enter(Member member, Duration ttl) {
    return Optional.empty();
  }

  @Override
  public void leave(String id) {}

  @Override
  public List<Entry> list() {
    return List.of(new Entry(self, since, since, true));
  }

  @Override
  public Optional<Entry> find(String id) {
    return list().stream().filter(entry -> entry.member().id().equals(id)).findFirst();
  }

  @Override
  public void close() {}
}
