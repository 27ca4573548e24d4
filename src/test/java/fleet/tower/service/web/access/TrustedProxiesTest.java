package fleet.tower.service.web.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The client address that the service sees, with and without proxies")
class TrustedProxiesTest {
  private static final String FORWARDED = "X-Forwarded-For";
  @AutoClose
  private final TestService trusting;

  TrustedProxiesTest(@TempDir Path home) {
    trusting = new TestService(home, "--tower.http.trusted-proxies=127.0.4.1,127.0.5.0/24");
  }

  private static Answer look(TestService service, String from, String... headers) {
    return service.sendFrom(from, service.request("/locks").headers(headers).build());
  }

  private static List<String> remotes(TestService service) {
    return service.get("/audit?event=access_denied&limit=10000").body().lines()
        .flatMap(body -> List.of(body.split("(?<=}),", -1)).stream())
        .filter(line -> line.contains("\"remote\":"))
        .map(line -> line.replaceAll(".*\"remote\":\"([^\"]*)\".*", "$1")).toList();
  }

  @Test
  @DisplayName("Also on Kubernetes a client cannot choose its address or make a connection look encrypted")
  void forged(@TempDir Path home) {
    try (TestService service = new TestService(home, "--spring.main.cloud-platform=kubernetes")) {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 1; i <= 14; i++) {
        Answer answer = look(service, "127.0.3.1", FORWARDED, "203.0.113." + i, "X-Forwarded-Proto", "https");
        statuses.add(answer.status());
        assertThat(answer.header("Strict-Transport-Security")).isEmpty();
      }
      assertThat(statuses.subList(0, 10)).containsOnly(401);
      assertThat(statuses.subList(10, 14)).containsOnly(429);
      assertThat(remotes(service)).hasSize(11).containsOnly("127.0.3.1");
    }
  }

  @ParameterizedTest
  @DisplayName("With configured proxies, the client is the last address that is not a proxy")
  @CsvSource(delimiter = '|', value = {"127.0.4.1 | 203.0.113.9 | 203.0.113.9",
      "127.0.4.1 | 198.51.100.1, 203.0.113.9 | 203.0.113.9",
      "127.0.4.1 | 198.51.100.1, 203.0.113.9, 127.0.5.7 | 203.0.113.9",
      "127.0.4.1 | 127.0.5.7 | 127.0.5.7", "127.0.4.1 | unknown, 127.0.5.7 | 127.0.5.7", "127.0.4.1 | x | 127.0.4.1",
      "127.0.4.1 | 2001:db8::1 | 2001:db8:0:0:0:0:0:1", "127.0.6.1 | 203.0.113.9 | 127.0.6.1"})
  void trusted(String peer, String header, String expected) {
    List<String> all = new ArrayList<>(remotes(trusting));
    all.add(expected);
    assertThat(look(trusting, peer, FORWARDED, header).status()).isEqualTo(401);
    assertThat(remotes(trusting)).isEqualTo(all);
    assertThat(look(trusting, peer, "X-Forwarded-Proto", "https").header("Strict-Transport-Security"))
        .isEqualTo(peer.equals("127.0.6.1") ? "" : "max-age=63072000");
  }

  @Test
  @DisplayName("Spring's own forwarding options are rejected at the start, and so is an invalid address")
  void refused(@TempDir Path home) {
    assertThatThrownBy(() -> new TestService(home, "--server.forward-headers-strategy=native").close())
        .rootCause().hasMessageContaining("list your proxies in tower.http.trusted-proxies");
    assertThatThrownBy(() -> new TestService(home, "--tower.http.trusted-proxies=nowhere").close())
        .hasStackTraceContaining("tower.http.trusted-proxies has 'nowhere', which must be an address or a network");
  }
}
