package fleet.tower.run.members;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The intents in which the live services of a fleet differ, and whether their policies do: two hosts have different
 * intents of the same name, or a host lacks one although it has the labels that the intent requires. A service that
 * publishes nothing is not compared.
 */
public final class HostDifferences {
  private static final int MOST_WARNINGS = 20;
  private static final int SHORT = 12;

  private final SortedMap<String, MemberProfile> hosts = new TreeMap<>();
  private final NavigableSet<String> names = new TreeSet<>();

  /** The intent of a host, by its digest; null if the host does not have it. */
  public record Version(String hostId, @Nullable String digest) {}

  /**
   * An intent in which a host differs from others.
   *
   * @param digest the host's own; null if it does not have the intent
   * @param others the hosts that have another one or none
   */
  public record Difference(String intent, @Nullable String digest, List<Version> others) {}

  /** The differences between the services among some processes. */
  public HostDifferences(List<MemberStore.Entry> entries) {
    // They are ordered by time, so that the newest service of a host counts.
    entries.forEach(entry -> {
      MemberProfile profile = entry.profile();
      if (entry.isAlive() && profile != null && entry.member().kind() == Member.Kind.SERVICE) {
        hosts.put(entry.member().hostId(), profile);
      }
    });
    hosts.values().stream().flatMap(profile -> profile.intents().keySet().stream()).distinct()
        .filter(this::isDifferent).forEach(names::add);
  }

  private boolean isDifferent(String intent) {
    return published(intent).map(MemberProfile.Published::digest).distinct().count() > 1
        || hosts.keySet().stream().anyMatch(host -> lacks(host, intent));
  }

  private Stream<MemberProfile.Published> published(String intent) {
    return hosts.values().stream().flatMap(profile -> Optional.ofNullable(profile.intents().get(intent)).stream());
  }

  /** Whether a host does not have an intent that it could run. */
  private boolean lacks(String host, String intent) {
    MemberProfile profile = profile(host);
    return !profile.intents().containsKey(intent)
        && published(intent).anyMatch(it -> profile.labelsOf(host).satisfy(it.runsOn()));
  }

  private MemberProfile profile(String host) {
    MemberProfile profile = hosts.get(host);
    if (profile == null) {
      throw new IllegalStateException("host " + host + " publishes no intents");
    }
    return profile;
  }

  /** The names of the intents that differ. */
  public List<String> intents() {
    return List.copyOf(names);
  }

  private @Nullable String digest(String host, String intent) {
    MemberProfile.Published published = profile(host).intents().get(intent);
    return published == null ? null : published.digest();
  }

  /** Whether a host takes part in a difference: it has the intent, or lacks it without a label that explains it. */
  private boolean isConcerned(String host, String intent) {
    return digest(host, intent) != null || lacks(host, intent);
  }

  private List<String> others(String host, String intent) {
    return hosts.keySet().stream().filter(it -> !it.equals(host) && isConcerned(it, intent))
        .filter(it -> !Objects.equals(digest(it, intent), digest(host, intent))).toList();
  }

  /** The differences in which a host takes part; none for an unknown host. */
  public List<Difference> of(String host) {
    if (!hosts.containsKey(host)) {
      return List.of();
    }
    return names.stream().filter(intent -> isConcerned(host, intent))
        .map(intent -> new Difference(intent, digest(host, intent),
            others(host, intent).stream().map(other -> new Version(other, digest(other, intent))).toList()))
        .filter(difference -> !difference.others().isEmpty()).toList();
  }

  /** Whether two hosts have different policies, or one has none. */
  public boolean isOfPolicies() {
    return hosts.values().stream().map(profile -> Optional.ofNullable(profile.policy())).distinct().count() > 1;
  }

  /** One sentence for policies that differ, and for each intent that does, with the hosts that have the same together. */
  public List<String> sentences() {
    List<String> sentences = new ArrayList<>(ofPolicies());
    names.stream().limit(MOST_WARNINGS).map(this::sentence).forEach(sentences::add);
    if (names.size() > MOST_WARNINGS) {
      sentences.add("further intents differ: " + (names.size() - MOST_WARNINGS));
    }
    return sentences;
  }

  private List<String> ofPolicies() {
    return isOfPolicies()
        ? List.of(sentence("the policy", host -> profile(host).policy(), _ -> true))
        : List.of();
  }

  private String sentence(String intent) {
    return sentence("intent " + intent, host -> digest(host, intent), host -> isConcerned(host, intent));
  }

  private String sentence(String what, Function<String, @Nullable String> digests, Predicate<String> isConcerned) {
    SortedMap<String, List<String>> byDigest = new TreeMap<>();
    List<String> without = new ArrayList<>();
    for (String host : hosts.keySet()) {
      String digest = digests.apply(host);
      if (digest != null) {
        byDigest.computeIfAbsent(digest, _ -> new ArrayList<>()).add(host);
      } else if (isConcerned.test(host)) {
        without.add(host);
      }
    }
    List<String> versions = new ArrayList<>();
    byDigest.forEach((digest, same) -> versions.add(
        digest.substring(0, Math.min(SHORT, digest.length())) + " on " + String.join(", ", same)));
    if (!without.isEmpty()) {
      versions.add("none on " + String.join(", ", without));
    }
    return what + " differs between hosts: " + String.join("; ", versions);
  }

  /** The sentences about the differences in which a host takes part. */
  public List<String> warnings(String host) {
    return hosts.containsKey(host)
        ? Stream.concat(ofPolicies().stream(),
            names.stream().filter(intent -> isConcerned(host, intent)).limit(MOST_WARNINGS).map(this::sentence))
            .toList()
        : List.of();
  }

  /** The labels that the services of a host publish; empty for an unknown host. */
  public List<String> labels(String host) {
    MemberProfile profile = hosts.get(host);
    return profile == null ? List.of() : profile.labels();
  }
}
