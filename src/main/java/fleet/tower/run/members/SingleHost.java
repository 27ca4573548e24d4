package fleet.tower.run.members;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The members of a home that no other host shares: this process alone. Presence files show the other processes of this
 * host.
 */
public final class SingleHost implements MemberStore {
  private final Member self;
  private final Instant since;
  private volatile @Nullable MemberProfile profile;

  public SingleHost(Member self, Instant since) {
    this.self = self;
    this.since = since;
  }

  @Override
  public Optional<Entry> enter(Member member, @Nullable MemberProfile present, Duration ttl) {
    profile = present;
    return Optional.empty();
  }

  @Override
  public void leave(String id) {}

  @Override
  public List<Entry> list() {
    return List.of(new Entry(self, since, since, true, profile));
  }

  @Override
  public Optional<Entry> find(String id) {
    return list().stream().filter(entry -> entry.member().id().equals(id)).findFirst();
  }

  @Override
  public void close() {}
}
