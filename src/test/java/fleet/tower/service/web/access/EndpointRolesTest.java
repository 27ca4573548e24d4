package fleet.tower.service.web.access;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

import fleet.tower.access.Role;
import fleet.tower.golden.Golden;
import fleet.tower.operation.Operations;
import fleet.tower.service.call.Needs;
import fleet.tower.service.config.TestService;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The role that each call needs")
class EndpointRolesTest {
  private static final String HEALTH = "/actuator/health";
  @AutoClose
  private final TestService service;

  EndpointRolesTest(@TempDir Path home) {
    TestTokens.write(home, entry("eve", "viewer", "") + entry("ann", "agent", "") + entry("otto", "operator", ""));
    service = new TestService(home);
  }

  /** An endpoint: a method and a path. */
  private record Endpoint(String method, String path, Optional<Role> needed) {
    boolean isOpen() {
      return path.startsWith(HEALTH) || path.startsWith("/.well-known/") || path.equals("/")
          || path.startsWith("/console");
    }

    String callable() {
      return path.replaceAll("\\{[^}]*}", "none").replace("/**", "");
    }
  }

  private List<Endpoint> endpoints() {
    List<Endpoint> endpoints = new ArrayList<>();
    for (RequestMappingInfoHandlerMapping mapping : service.parts(RequestMappingInfoHandlerMapping.class).values()) {
      mapping.getHandlerMethods().forEach((info, handler) -> endpoints.addAll(endpoints(info, handler)));
    }
    service.parts(Operations.class).values().forEach(operations -> operations.handlers().keySet().forEach(
        it -> endpoints.add(new Endpoint(it.method().name(), it.path(), Optional.of(it.role())))));
    return endpoints;
  }

  private static List<Endpoint> endpoints(RequestMappingInfo info, HandlerMethod handler) {
    List<Endpoint> endpoints = new ArrayList<>();
    for (String pattern : info.getPatternValues()) {
      Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
      for (RequestMethod method : methods.isEmpty() ? Set.of(RequestMethod.GET) : methods) {
        endpoints.add(new Endpoint(method.name(), pattern, RoleGate.needed(handler, pattern)));
      }
    }
    return endpoints;
  }

  @Test
  @DisplayName("Every mapped call needs exactly one role")
  void everyCall() {
    assertThat(endpoints()).hasSizeGreaterThan(40).allSatisfy(endpoint -> assertThat(endpoint.needed())
        .as(endpoint.toString()).isPresent());
  }

  @Test
  @DisplayName("The page about security lists all of them")
  void documented() {
    TreeMap<String, String> rows = new TreeMap<>();
    for (Endpoint endpoint : endpoints()) {
      if (!endpoint.path().equals("/error") && !endpoint.isOpen()) {
        rows.put(endpoint.path() + " " + endpoint.method(), "| `" + endpoint.method() + " " + endpoint.path() + "` | "
            + endpoint.needed().map(Role::toString).orElse("nobody") + " |\n");
      }
    }
    Golden.isPart("docs/security.md", "roles", "| Call | Needs |\n|---|---|\n" + String.join("", rows.values()));
  }

  /** A controller without a role. */
  @SuppressWarnings("UnusedMethod")
  private interface Forgetful {
    @GetMapping("/forgotten")
    void forgotten();

    @Needs(Role.AGENT)
    @GetMapping("/said")
    void said();
  }

  @Test
  @DisplayName("A call without a declared role is found")
  void forgotten() throws Exception {
    assertThat(RoleGate.needed(handler("forgotten"),
        "/forgotten")).isEmpty();
    assertThat(RoleGate.needed(handler("said"), "/said"))
        .contains(Role.AGENT);
    assertThat(RoleGate.needed(new Object(), "/resources/**")).isEmpty();
  }

  private static HandlerMethod handler(String name) throws Exception {
    return new HandlerMethod(new Object(), Forgetful.class.getDeclaredMethod(name));
  }

  @Test
  @DisplayName("Viewers see the service's health; operators alone see secrets and change the service")
  void ofTheService() {
    TreeMap<String, Role> needed = new TreeMap<>();
    for (String path : List.of("/actuator", "/actuator/health/**", "/actuator/prometheus", "/actuator/metrics/{name}",
        "/actuator/env", "/actuator/heapdump", "/actuator/loggers/{name}", "/actuator/shutdown",
        "/actuator/healthy", "/actuator/prometheus-x", "/actuator/sbom/{id}")) {
      needed.put(path, RoleGate.needed(new Object(), path).orElseThrow());
    }
    assertThat(needed).hasToString("{/actuator=viewer, /actuator/env=operator, /actuator/health/**=viewer,"
        + " /actuator/healthy=operator, /actuator/heapdump=operator, /actuator/loggers/{name}=operator,"
        + " /actuator/metrics/{name}=viewer, /actuator/prometheus=viewer, /actuator/prometheus-x=operator,"
        + " /actuator/sbom/{id}=viewer,"
        + " /actuator/shutdown=operator}");
  }

  @Test
  @DisplayName("A lower role is rejected by every call, with the needed role; a sufficient one is not")
  void refused() {
    List<String> mistakes = new ArrayList<>();
    for (Endpoint endpoint : endpoints()) {
      Role needed = endpoint.needed().orElseThrow();
      if (endpoint.isOpen() || endpoint.path().equals("/error")) {
        continue;
      }
      for (Role role : Role.values()) {
        String method = role.covers(needed) && endpoint.method().equals("GET") ? "HEAD" : endpoint.method();
        TestService.Answer answer = service.callAs(tokenOf(nameOf(role)), method, endpoint.callable(),
            endpoint.method().equals("GET") ? "" : "{}");
        boolean isRefused = answer.status() == 403
            && answer.body().contains("\"required_role\":\"" + needed + "\"")
            && answer.body().contains("'" + nameOf(role) + "' has role " + role + " and may not call ");
        if (isRefused == role.covers(needed) || (!isRefused && answer.status() == 401)) {
          mistakes.add(endpoint + " as " + role + ": " + answer);
        }
      }
    }
    assertThat(mistakes).isEmpty();
  }

  @Test
  @DisplayName("Every spelling of a path needs the same role")
  void disguised() {
    Set<Integer> statuses = new TreeSet<>();
    for (String path : List.of("/%66reezes/x", "/freezes/%78", "/freezes;a=b/x", "//freezes/x", "/./freezes/x",
        "/locks/../freezes/x", "/freezes/x/", "/FREEZES/x")) {
      TestService.Answer answer = service.callAs(tokenOf("ann"), "PUT", path, "{\"ttl_seconds\":60,\"reason\":\"r\"}");
      statuses.add(answer.status());
    }
    assertThat(statuses).isSubsetOf(400, 403, 404);
    assertThat(service.get("/freezes").body()).isEqualTo("{\"freezes\":[]}");
  }

  static String nameOf(Role role) {
    return switch (role) {
      case VIEWER -> "eve";
      case AGENT -> "ann";
      case OPERATOR -> "otto";
    };
  }
}
