package fleet.tower.access;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** When each token was last used on this host; tokens are given by their digests. */
public interface LastUses {

  /** Records that a token is used now. A failure is not reported, because a call must not fail for it. */
  void record(String sha256);

  /** When a token was last used, within a minute; empty for never. */
  Optional<Instant> last(String sha256);

  /** Forgets all tokens but these. */
  void keep(Set<String> digests);
}
