package fleet.tower.run.members;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.intent.Labels;
import fleet.tower.intent.yaml.IntentFiles;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.run.Run;
import fleet.tower.run.members.MemberProfile.Published;

class IntentHostsTest {
  private static final Duration LATER = Duration.ofSeconds(2);

  private final ManualTime time = new ManualTime();
  private final List<MemberStore.Entry> members = new ArrayList<>();
  private final IntentHosts hosts = hosts(true);
  private boolean isAway;

  private IntentHosts hosts(boolean isShared) {
    return new IntentHosts(Labels.of("tower-01", List.of("gpu")),
        new IntentFiles(Path.of("no-such-home/intents"), time, true).catalogue(), "here"::equals, this::list, time,
        isShared);
  }

  private List<MemberStore.Entry> list() {
    if (isAway) {
      throw new StorageException("away");
    }
    return List.copyOf(members);
  }

  private void publish(String host, List<String> labels, String digest) {
    members.removeIf(it -> it.member().hostId().equals(host));
    members.add(HostDifferencesTest.service(host, true,
        HostDifferencesTest.profile(labels, Map.of("deploy", new Published(digest, List.of())))));
    time.advance(LATER);
  }

  private String absence(String digest, String... runsOn) {
    return hosts.absence("deploy", new Run.Declaration(digest, List.of(runsOn))).orElse("");
  }

  @Test
  @DisplayName("The absence of a host is named: no service, no label, or no such intent")
  void absence() {
    assertThat(absence("d1")).isEqualTo("no live service can execute it");
    publish("tower-02", List.of("db-admin"), "d2");
    assertThat(absence("d2")).isEmpty();
    assertThat(absence("d2", "db-admin", "tower-02")).isEmpty();
    assertThat(absence("d1")).isEqualTo("no live host has intent deploy as it was requested");
    assertThat(absence("d2", "arm", "db-admin")).isEqualTo("no live host has the labels arm and db-admin");
    assertThat(absence("d1", "db-admin"))
        .isEqualTo("no live host with the label db-admin has intent deploy as it was requested");
    assertThat(absence("here", "gpu")).as("this service itself, before it has published").isEmpty();
    assertThat(hosts.missingHere(List.of("arm", "gpu", "tower-01"))).containsExactly("arm");
    isAway = true;
    time.advance(LATER);
    assertThat(absence("d1")).as("unknown").isEmpty();
    assertThat(hosts.isAbandoned("d1")).isFalse();
  }

  @Test
  @DisplayName("A service that publishes nothing may have any intent, but no label except its name")
  void unpublished() {
    members.add(HostDifferencesTest.service("tower-02", true, null));

    assertThat(absence("d1")).isEmpty();
    assertThat(hosts.isAbandoned("d1")).isFalse();
    assertThat(absence("d1", "gpu")).isEqualTo("no live host has the label gpu");
  }

  @Test
  @DisplayName("An intent is abandoned a minute after the last live host had it, and not if one has it in between")
  void abandoned() {
    publish("tower-02", List.of(), "d1");
    assertThat(hosts.isAbandoned("d1")).isFalse();
    publish("tower-02", List.of(), "d2");
    assertThat(hosts.isAbandoned("d1")).isFalse();
    time.advance(Membership.TTL.minus(LATER));
    publish("tower-03", List.of(), "d1");
    assertThat(hosts.isAbandoned("d1")).isFalse();
    publish("tower-03", List.of(), "d2");
    assertThat(hosts.isAbandoned("d1")).isFalse();
    time.advance(Membership.TTL.minusMillis(1));
    assertThat(hosts.isAbandoned("d1")).isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(hosts.isAbandoned("d1")).isTrue();
  }

  @Test
  @DisplayName("On a single host, a changed intent is abandoned at once, and nothing is known about other processes")
  void single() {
    IntentHosts single = hosts(false);
    assertThat(single.isAbandoned("d1")).isTrue();
    assertThat(single.absence("deploy", new Run.Declaration("d1", List.of("arm")))).isEmpty();
  }
}
