package fleet.tower.run.members;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Labels;

/**
 * What a service publishes to other hosts: the labels of its host, its intents by name, and its policy.
 *
 * @param labels without the name of the host, which is a label, too
 * @param policy the digest of its policy; null if it has none
 */
public record MemberProfile(List<String> labels, SortedMap<String, Published> intents, @Nullable String policy) {
  public MemberProfile {
    labels = List.copyOf(labels);
    intents = new TreeMap<>(intents);
  }

  /**
   * One intent.
   *
   * @param runsOn the labels that it requires
   */
  public record Published(String digest, List<String> runsOn) {
    public Published {
      runsOn = List.copyOf(runsOn);
    }
  }

  /** The present profile of a host with some labels and a policy. */
  public static MemberProfile of(List<String> labels, Catalogue catalogue, @Nullable String policy) {
    SortedMap<String, Published> intents = new TreeMap<>();
    catalogue.list().forEach(it -> intents.put(it.name(), new Published(it.digest(), it.runsOn())));
    return new MemberProfile(labels, intents, policy);
  }

  /** Whether it has an intent with a digest. */
  boolean has(String digest) {
    return intents.values().stream().anyMatch(it -> it.digest().equals(digest));
  }

  /** The labels of its host. */
  Labels labelsOf(String hostId) {
    return Labels.of(hostId, labels);
  }
}
