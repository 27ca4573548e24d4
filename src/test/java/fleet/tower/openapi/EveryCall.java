package fleet.tower.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import fleet.tower.access.oidc.Issuer;
import fleet.tower.openapi.Document.Operation;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The checks of the common answers of all calls, made for each call. */
final class EveryCall {
  private static final String JWT = "--spring.security.oauth2.resourceserver.jwt.";
  /** The call whose body is a message of another protocol, with errors of its own. */
  private static final String MESSAGE = "sendMcpMessage";
  private static final int TOO_LARGE = 256 * 1024 + 1;

  private final CheckedClient drive;

  EveryCall(CheckedClient drive) {
    this.drive = drive;
  }

  /** The tokens by role. */
  static void declare(Path home) {
    TestTokens.write(home, TestTokens.entry("eve", "viewer", "") + TestTokens.entry("ann", "agent", "")
        + RunCalls.APPROVERS.stream().map(name -> TestTokens.entry(name, "agent", "approve: ['*']\n"))
            .collect(Collectors.joining()));
  }

  private List<Operation> withToken() {
    return drive.document.operations().values().stream().filter(Operation::needsToken).toList();
  }

  private List<Operation> withBody() {
    return drive.document.operations().values().stream().filter(Operation::hasBody).toList();
  }

  void withoutToken() {
    int address = 0;
    for (Operation operation : withToken()) {
      address++;
      drive.example(operation).as("").from("127.0.3." + address).answers(401, "unauthorized");
    }
  }

  void withTooManyBadTokens() {
    String full = "127.0.4.1";
    for (int i = 0; i < 10; i++) {
      drive.call("listLocks").as("no owner's").from(full).answers(401, "unauthorized");
    }
    withToken()
        .forEach(operation -> drive.example(operation).as("no owner's").from(full).answers(429, "too_many_bad_tokens"));
  }

  void withLowerRole() {
    for (Operation operation : withToken()) {
      switch (operation.role()) {
        case "agent" -> drive.example(operation).as(TestTokens.tokenOf("eve")).answers(403, "forbidden");
        case "operator" -> drive.example(operation).as(TestTokens.tokenOf("ann")).answers(403, "forbidden");
        default -> assertThat(operation.role()).isEqualTo("viewer");
      }
    }
  }

  void invalidCalls() {
    for (Operation operation : drive.document.operations().values()) {
      drive.example(operation).accepting("image/png").answers(406, "not_acceptable");
    }
    for (Operation operation : withToken()) {
      drive.example(operation).with("X-Actor", "a".repeat(513)).answers(400, "invalid_request");
    }
    for (Operation operation : withBody()) {
      drive.example(operation).sendAs("text/plain").answers(415, "unsupported_media_type");
      drive.example(operation).sendExactly(" ".repeat(TOO_LARGE)).answers(413, "content_too_large");
      if (!operation.id().equals(MESSAGE)) {
        drive.example(operation).sendExactly("[]").answers(400, "invalid_request");
      }
    }
  }

  /** The service lists the known names when it rejects an unknown one. */
  void withWhatItDoesNotKnow() {
    for (Operation operation : withToken()) {
      if (operation.hasBody()) {
        String path = operation.path().replaceAll("\\{[^}]*}", "x") + "?zzzzzzzzzz=1";
        assertThat(drive.service.call(operation.method(), path, "").body()).as(operation.id())
            .contains("\"error\":\"invalid_request\"", "\"member\":\"zzzzzzzzzz\"");
        if (operation.id().equals(MESSAGE)) {
          continue;
        }
        Answer answer = drive.example(operation).sendExactly("{\"zzzzzzzzzz\":1}").answers(400, "invalid_request");
        knows(operation, answer,
            drive.document.resolve(operation.body().at("schema").pointer()).at("properties").node().propertyNames());
      } else if (!operation.path().startsWith("/actuator")) {
        Set<String> names = new TreeSet<>();
        operation.parameters().keySet().stream().filter(name -> name.startsWith("query "))
            .forEach(name -> names.add(name.substring("query ".length())));
        String path = operation.path().replaceAll("\\{[^}]*}", "x") + "?zzzzzzzzzz=1";
        knows(operation, drive.service.call(operation.method(), path, ""), names);
      }
    }
  }

  private static void knows(Operation operation, Answer answer, Collection<String> documented) {
    JsonNode problem = JsonMapper.shared().readTree(answer.body());
    assertThat(answer.status()).as(operation.id() + answer.body()).isEqualTo(400);
    String suggestion = problem.get("suggestion").asString();
    Set<String> known = suggestion.equals("omit it")
        ? Set.of()
        : new TreeSet<>(List.of(suggestion.replaceFirst("use one of ", "").split(", ", -1)));
    assertThat(known).as("what " + operation.id() + " knows: " + suggestion).isEqualTo(new TreeSet<>(documented));
  }

  /** Callers with a token of another issuer: without a role, and while the issuer does not answer. */
  void ofAnotherIssuer(Path home) throws IOException {
    Issuer issuer = new Issuer();
    String claims = "{\"iss\":\"" + issuer.url() + "\",\"aud\":[\"tower\"],\"sub\":\"ann\",\"exp\":4000000000}";
    String token = issuer.sign(claims);
    try (issuer;
        TestService service = new TestService(home.resolve("known"), JWT + "issuer-uri=" + issuer.url(),
            JWT + "audiences=tower")) {
      CheckedClient other = drive.on(service);
      withToken().forEach(operation -> other.example(operation).as(token).answers(403, "forbidden"));
    }
    try (TestService service = new TestService(home.resolve("gone"), JWT + "issuer-uri=" + issuer.url(),
        JWT + "audiences=tower")) {
      CheckedClient other = drive.on(service);
      withToken().forEach(operation -> other.example(operation).as(token).answers(503, "identity_unavailable"));
    }
  }
}
