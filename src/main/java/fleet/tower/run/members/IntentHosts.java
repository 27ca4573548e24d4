package fleet.tower.run.members;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Labels;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.submit.EligibleHosts;

/** The hosts that may execute a run, by what the live services of a fleet publish. */
public final class IntentHosts implements EligibleHosts {
  private static final Duration FRESH = Duration.ofSeconds(1);

  private final Labels here;
  private final CachedValue<List<MemberStore.Entry>> members;
  private final Catalogue intents;
  private final Predicate<String> isExecutedHere;
  private final TimeSource time;
  private final boolean isShared;
  /** The local times at which no live host was first seen to have a digest. */
  private final Map<String, Long> absentSince = new ConcurrentHashMap<>();

  /**
   * @param here the labels of this host
   * @param intents the intents of this host, as its queue sees them
   *
   * @param executes whether this process executes queued runs
   *
   * @param isShared whether services of other hosts may exist, of which {@code members} has all
   */
  public IntentHosts(Labels here, Catalogue intents, boolean executes, Supplier<List<MemberStore.Entry>> members,
      TimeSource time, boolean isShared) {
    this(here, intents, digest -> executes && intents.list().stream().anyMatch(it -> it.digest().equals(digest)),
        members, time, isShared);
  }

  IntentHosts(Labels here, Catalogue intents, Predicate<String> isExecutedHere,
      Supplier<List<MemberStore.Entry>> members, TimeSource time, boolean isShared) {
    this.here = here;
    this.intents = intents;
    this.isExecutedHere = isExecutedHere;
    this.members = new CachedValue<>(FRESH, _ -> members.get(), time);
    this.time = time;
    this.isShared = isShared;
  }

  @Override
  public Catalogue seenByQueue(Catalogue callers) {
    return intents;
  }

  @Override
  public List<String> missingHere(List<String> runsOn) {
    return here.missing(runsOn);
  }

  private List<MemberStore.Entry> services() {
    return members.get().stream().filter(it -> it.isAlive() && it.member().kind() == Member.Kind.SERVICE).toList();
  }

  @Override
  public Optional<String> absence(String intent, Run.Declaration declaration) {
    if (here.satisfy(declaration.runsOn()) && isExecutedHere.test(declaration.digest())) {
      return Optional.empty();
    }
    try {
      return absence(services(), intent, declaration);
    } catch (StorageException unknown) {
      return Optional.empty();
    }
  }

  private Optional<String> absence(List<MemberStore.Entry> services, String intent,
      Run.Declaration declaration) {
    List<String> required = declaration.runsOn();
    if (services.isEmpty()) {
      return isShared ? Optional.of("no live service can execute it") : Optional.empty();
    }
    List<MemberStore.Entry> labelled = services.stream().filter(it -> hasLabels(it, required)).toList();
    if (labelled.isEmpty()) {
      return Optional.of("no live host has the " + Labels.describe(required));
    }
    return labelled.stream().anyMatch(it -> mayHave(it, declaration.digest()))
        ? Optional.empty()
        : Optional.of("no live host " + (required.isEmpty() ? "" : "with the " + Labels.describe(required) + " ")
            + "has intent " + intent + " as it was requested");
  }

  private static boolean hasLabels(MemberStore.Entry service, List<String> required) {
    MemberProfile profile = service.profile();
    return profile == null
        ? required.isEmpty()
        : profile.labelsOf(service.member().hostId()).satisfy(required);
  }

  /** A process that publishes nothing may have it. */
  private static boolean mayHave(MemberStore.Entry service, String digest) {
    MemberProfile profile = service.profile();
    return profile == null || profile.has(digest);
  }

  @Override
  public boolean isAbandoned(String digest) {
    List<MemberStore.Entry> services;
    try {
      services = services();
    } catch (StorageException unknown) {
      return false;
    }
    if (services.stream().anyMatch(it -> mayHave(it, digest))) {
      absentSince.remove(digest);
      return !isShared;
    }
    long now = time.nanos();
    return !isShared || now - absentSince.computeIfAbsent(digest, _ -> now) >= Membership.TTL.toNanos();
  }
}
