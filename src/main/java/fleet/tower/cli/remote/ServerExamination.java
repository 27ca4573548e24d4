package fleet.tower.cli.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.operation.LockOperations;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.remote.Server;

/** The examination of a service: whether it can be reached, is healthy, and accepts the token. */
public final class ServerExamination implements Examination {
  private final Server server;

  private ServerExamination(Server server) {
    this.server = server;
  }

  /** The examination of the service that the command line selects, if any. */
  public static Optional<ServerExamination> of(Servers servers, Arguments arguments) {
    return servers.of(arguments).map(ServerExamination::new);
  }

  @Override
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    if (server.isOverheard()) {
      findings.add(Finding.warn("token in transit", server.overheard(),
          "use an https address or a tunnel to 127.0.0.1, and create a new token"));
    }
    int before = findings.size();
    try {
      String status = server.get("/actuator/health").json().text("status").orElse("unknown");
      findings.add(status.equals("UP")
          ? Finding.ok("server", server.url() + " is up")
          : Finding.fail("server", server.url() + " reports status " + status, "see the log of the service"));
      server.get(LockOperations.LIST.path());
      findings.add(Finding.ok("token", "the service accepts it"));
    } catch (RefusedCommand refusal) {
      findings.add(findings.size() == before
          ? Finding.fail("server", server.url() + " cannot be used: " + refusal.getMessage(),
              "start it with `tower serve`, or correct --server or TOWER_URL")
          : Finding.fail("token", "the service rejects it: " + refusal.getMessage(),
              "set TOWER_TOKEN to a token of that service, or TOWER_TOKEN_FILE to a file that holds one"));
    }
    return findings;
  }
}
