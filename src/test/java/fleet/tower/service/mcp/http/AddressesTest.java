package fleet.tower.service.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The addresses of the endpoint")
class AddressesTest {
  private static final String NONE = "";

  private static Addresses addresses(String resource, String host, String origin, String bound) {
    @Nullable
    String url = resource.isEmpty() ? null : resource;
    return new Addresses(url, host.isEmpty() ? List.of() : List.of(host),
        origin.isEmpty() ? List.of() : List.of(origin),
        bound);
  }

  private static boolean isOwn(Addresses addresses, String nameAndPort) {
    return addresses.isOwn(nameAndPort.replaceFirst(":\\d+$", ""), nameAndPort);
  }

  @ParameterizedTest
  @DisplayName("A host is accepted as a loopback name, the bound address, the resource's host, or an allowed one")
  @CsvSource({"localhost:8080, true", "LOCALHOST, true", "127.0.0.1:8080, true", "127.9.9.9, true", "[::1]:8080, true",
      "10.0.0.5:8080, true", "10.0.0.6:8080, false", "tower.example.com, true", "Tower.Example.com:443, true",
      "proxy.internal:8443, true", "proxy.internal:8444, false", "evil.example.com:8080, false",
      "localhost.evil.example.com, false", "127.0.0.1.evil.example.com, false", "2130706433, true"})
  void hosts(String host, boolean isOwn) {
    assertThat(isOwn(addresses("https://tower.example.com/mcp", "Proxy.internal:8443", NONE, "10.0.0.5"), host))
        .isEqualTo(isOwn);
  }

  @Test
  @DisplayName("A service that listens on all addresses accepts any address, and only configured names")
  void wildcard() {
    for (String bound : List.of("0.0.0.0", "::")) {
      Addresses all = addresses(NONE, "tower", NONE, bound);
      assertThat(isOwn(all, "192.168.1.7:8080")).isTrue();
      assertThat(isOwn(all, "[2001:db8::1]:8080")).isTrue();
      assertThat(isOwn(all, "tower:8080")).isTrue();
      assertThat(isOwn(all, "evil.example.com:8080")).isFalse();
    }
    assertThat(isOwn(addresses(NONE, NONE, NONE, "127.0.0.1"), "192.168.1.7:8080")).isFalse();
    assertThat(isOwn(addresses(NONE, NONE, NONE, "tower-01.internal"), "tower-01.internal:8080")).isTrue();
  }

  @ParameterizedTest
  @DisplayName("A page may call from a loopback host, from the service's own host, and from an allowed origin")
  @CsvSource({"http://localhost:6274, true", "https://127.0.0.1, true", "http://[::1]:3000, true",
      "http://tower:8080, true", "https://tower:8080, true", "http://tower:8081, false",
      "https://tower.example.com, true", "https://chat.example.com, true", "HTTPS://Chat.example.com, true",
      "http://chat.example.com, false", "https://chat.example.com:444, false", "https://evil.example.com, false",
      "http://localhost.evil.example.com, false", "http://evil.example.com/localhost, false", "null, false",
      "file://localhost, false", "nonsense, false", "http://[, false"})
  void origins(String origin, boolean isAllowed) {
    assertThat(addresses("https://tower.example.com/mcp", NONE, "https://chat.example.com", "127.0.0.1")
        .isAllowed(origin, "tower:8080")).isEqualTo(isAllowed);
  }

  @ParameterizedTest
  @DisplayName("A setting that is not an origin is refused")
  @ValueSource(strings = {"chat.example.com", "https://chat.example.com/", "https://chat.example.com/x", "*",
      "https://"})
  void notAnOrigin(String origin) {
    assertThatThrownBy(() -> addresses(NONE, NONE, origin, "127.0.0.1")).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("tower.mcp.allowed-origins has '" + origin + "', which must be an origin such as");
  }

  @Test
  @DisplayName("The resource is the configured URL, or else the URL of the request; its metadata are on the same host")
  void resource() {
    assertThat(addresses(NONE, NONE, NONE, "127.0.0.1").resource(false, "h:8080")).isEqualTo("http://h:8080/mcp");
    assertThat(addresses(NONE, NONE, NONE, "127.0.0.1").resource(true, "h")).isEqualTo("https://h/mcp");
    assertThat(addresses("https://e.example/tower/mcp", NONE, NONE, "127.0.0.1").resource(false, "h"))
        .isEqualTo("https://e.example/tower/mcp");
    assertThat(Addresses.metadata("https://e.example/tower/mcp"))
        .isEqualTo("https://e.example/.well-known/oauth-protected-resource/tower/mcp");
  }
}
