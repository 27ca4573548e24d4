package fleet.tower.run.members;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.run.members.HostDifferences.Difference;
import fleet.tower.run.members.HostDifferences.Version;
import fleet.tower.run.members.MemberProfile.Published;

class HostDifferencesTest {
  private static final String OLD = "a".repeat(64);
  private static final String NEW = "b".repeat(64);

  static MemberStore.Entry service(String host, boolean isAlive, @Nullable MemberProfile profile) {
    Member member = new Member(host + "-1", host, host, "/home", 1, Member.Kind.SERVICE, "1");
    return new MemberStore.Entry(member, Instant.EPOCH, Instant.EPOCH, isAlive, profile);
  }

  static MemberProfile profile(List<String> labels, Map<String, Published> intents) {
    return new MemberProfile(labels, new TreeMap<>(intents), null);
  }

  private static Published any(String digest) {
    return new Published(digest, List.of());
  }

  @Test
  @DisplayName("Hosts with different intents of one name are named on each side, with their digests")
  void different() {
    HostDifferences differences = new HostDifferences(List.of(
        service("one", true, profile(List.of("gpu"), Map.of("deploy", any(OLD), "same", any(OLD)))),
        service("two", true, profile(List.of(), Map.of("deploy", any(NEW), "same", any(OLD)))),
        service("three", true, profile(List.of(), Map.of("deploy", any(NEW), "same", any(OLD))))));

    assertThat(differences.intents()).containsExactly("deploy");
    assertThat(differences.sentences()).containsExactly(
        "intent deploy differs between hosts: aaaaaaaaaaaa on one; bbbbbbbbbbbb on three, two");
    assertThat(differences.of("one")).containsExactly(
        new Difference("deploy", OLD, List.of(new Version("three", NEW), new Version("two", NEW))));
    assertThat(differences.of("two")).containsExactly(
        new Difference("deploy", NEW, List.of(new Version("one", OLD))));
    assertThat(differences.of("unknown")).isEmpty();
    assertThat(differences.labels("one")).containsExactly("gpu");
    assertThat(differences.warnings("three")).hasSize(1);
  }

  @Test
  @DisplayName("Hosts with different policies, or with and without one, are named; not those that have the same, or are dead")
  void policies() {
    MemberStore.Entry one = service("one", true, new MemberProfile(List.of(), new TreeMap<>(), OLD));
    MemberStore.Entry two = service("two", true, new MemberProfile(List.of(), new TreeMap<>(), NEW));
    MemberStore.Entry three = service("three", true, profile(List.of(), Map.of()));
    HostDifferences differences = new HostDifferences(List.of(one, two, three));
    String sentence = "the policy differs between hosts: aaaaaaaaaaaa on one; bbbbbbbbbbbb on two; none on three";
    assertThat(differences.isOfPolicies()).isTrue();
    assertThat(differences.sentences()).containsExactly(sentence);
    assertThat(differences.warnings("three")).containsExactly(sentence);
    HostDifferences same = new HostDifferences(List.of(one, service("two", false,
        new MemberProfile(List.of(), new TreeMap<>(), NEW)), service("four", true, null)));
    assertThat(same.isOfPolicies()).isFalse();
    assertThat(same.sentences()).isEmpty();
  }

  @Test
  @DisplayName("An intent that only some hosts have is a difference, unless the others lack a label that it requires")
  void missing() {
    Published restricted = new Published(OLD, List.of("gpu"));
    HostDifferences differences = new HostDifferences(List.of(
        service("one", true, profile(List.of("gpu"), Map.of("train", restricted, "deploy", any(OLD)))),
        service("two", true, profile(List.of(), Map.of())),
        service("three", true, profile(List.of("gpu"), Map.of("deploy", any(OLD))))));

    assertThat(differences.intents()).containsExactly("deploy", "train");
    assertThat(differences.sentences()).containsExactly(
        "intent deploy differs between hosts: aaaaaaaaaaaa on one, three; none on two",
        "intent train differs between hosts: aaaaaaaaaaaa on one; none on three");
    assertThat(differences.of("two")).containsExactly(
        new Difference("deploy", null, List.of(new Version("one", OLD), new Version("three", OLD))));
    assertThat(differences.warnings("two")).hasSize(1);
  }

  @Test
  @DisplayName("Dead services, and those that publish nothing, are not compared")
  void ignored() {
    HostDifferences differences = new HostDifferences(List.of(
        service("one", true, profile(List.of(), Map.of("deploy", any(OLD)))),
        service("two", false, profile(List.of(), Map.of("deploy", any(NEW)))), service("three", true, null)));

    assertThat(differences.intents()).isEmpty();
    assertThat(differences.sentences()).isEmpty();
    assertThat(differences.of("one")).isEmpty();
  }
}
