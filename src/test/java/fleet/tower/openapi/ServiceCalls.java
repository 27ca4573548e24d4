package fleet.tower.openapi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;

/** The calls about the service itself, its hosts and its log. */
final class ServiceCalls {
  private final CheckedClient drive;

  ServiceCalls(CheckedClient drive) {
    this.drive = drive;
  }

  void audit() {
    drive.call("readAudit").with("limit", "10000").answers(200);
    drive.pages("readAudit");
    drive.call("readAudit").with("since", "2020-01-31T08:00:00Z").with("until", "2999-01-31T08:00:00Z")
        .with("event", "lock_acquired").with("lock_name", "life").with("request_id", "r1").with("local", "true")
        .answers(200);
    drive.call("readAudit").with("since", "yesterday").answers(400, "invalid_request");
    drive.call("followAudit").with("since", "2020-01-31T08:00:00Z").tells(10);
    drive.call("followAudit").with("since", "2020-01-31T08:00:00Z").with("event", "lock_acquired")
        .with("lock_name", "life").with("request_id", "r1").with("local", "false").tells(1);
    drive.call("followAudit").with("since", "yesterday").answers(400, "invalid_request");
  }

  /** The audit log from a place in the files of a host. */
  void auditOfFiles() {
    drive.call("followAudit").with("Last-Event-ID", "2020-01-31:0").tells(1);
    drive.call("followAudit").with("last_event_id", "2020-01-31:0").tells(1);
  }

  void overview() {
    drive.call("getOverview").answers(200);
    drive.call("followOverview").tells(2);
  }

  void itself() {
    drive.call("listHosts").answers(200);
    drive.call("getCaller").answers(200);
    drive.call("getApi").answers(200);
    drive.call("getApiAsYaml").answers(200);
    drive.call("getHealth").as("").answers(200);
    drive.call("getLiveness").as("").answers(200);
    drive.call("getReadiness").as("").answers(200);
    drive.call("getInfo").answers(200);
    drive.call("getMeasures").answers(200);
    drive.call("getMeasures").with("includedNames", "tower_locks").answers(200);
    drive.call("getMeasures").accepting("application/openmetrics-text").answers(200);
  }

  void messages() {
    drive.call("sendMcpMessage").send("{'jsonrpc':'2.0','method':'notifications/initialized'}").answers(202);
    drive.call("sendMcpMessage").send("{").answers(400);
    CheckedClient.Call modern = drive.call("sendMcpMessage")
        .send("{'jsonrpc':'2.0','id':1,'method':'no/method','params':"
            + "{'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
            + "'io.modelcontextprotocol/clientCapabilities':{}}}}");
    modern.answers(400);
    modern.with("MCP-Protocol-Version", "2026-07-28").with("Mcp-Method", "no/method").answers(404);
    drive.call("sendMcpMessage").send("{'jsonrpc':'2.0','id':1,'method':'ping'}")
        .with("MCP-Protocol-Version", "2025-11-25").with("Mcp-Method", "ping").with("Mcp-Name", "x").answers(200);
    drive.call("getMcpMetadata").as("").answers(200);
    drive.call("getMcpMetadataOfPath").as("").answers(200);
  }

  /** A service that admits no further waiter. */
  void crowded(Path home) {
    try (TestService service = new TestService(home, "--tower.calls.max-waiting=1")) {
      CheckedClient other = drive.on(service);
      other.call("acquireLock").with("name", "prod").send("{'request_id':'r1'}").answers(201);
      CheckedClient.Later waiter = other.call("acquireLock").with("name", "prod")
          .send("{'request_id':'r2','wait_seconds':60}")
          .later();
      Await.until("it waits", () -> service.get("/locks/prod").body().contains("\"waiters\":1,"));
      other.call("acquireLock").with("name", "prod").send("{'wait_seconds':60}")
          .answers(429, "too_many_waiting_calls");
      other.call("receiveMessages").with("mailbox", "jobs").send("{'wait_time_seconds':20}")
          .answers(429, "too_many_waiting_calls");
      other.call("runIntent").with("name", "say").send("{}").answers(429, "too_many_waiting_calls");
      other.call("followAudit").answers(429, "too_many_waiting_calls");
      other.call("downloadRunOutput").with("id", "r1").answers(429, "too_many_waiting_calls");
      other.call("followOverview").answers(429, "too_many_waiting_calls");
      other.call("withdrawLockRequest").with("name", "prod").with("request_id", "r2").answers(200);
      waiter.answers(409, "lock_request_withdrawn");
    }
  }

  /** A service on a disk that has only the space left that is kept for locks. */
  void full(Path home) {
    TestService.declare(home, "say", "mode: observe\nsteps: [{ name: print, run: [echo, hi] }]");
    try (TestService service = new TestService(home, "--tower.disk.reserve=1000TB")) {
      CheckedClient other = drive.on(service);
      other.call("acquireLock").with("name", "prod").send("{'request_id':'r1'}").answers(201);
      other.call("runIntent").with("name", "say").send("{}").answers(507, "disk_full");
      other.call("createTask").send("{'agent':'a','request_id':'r','title':'T'}").answers(507, "disk_full");
      other.call("sendMessage").with("mailbox", "jobs").send("{'body':1}").answers(507, "disk_full");
      other.call("renewLock").with("name", "prod").send("{'request_id':'r1'}").answers(200);
      other.call("releaseLock").with("name", "prod").with("request_id", "r1").answers(200);
    }
  }

  /** A service whose lock directory is missing. */
  void broken(Path home) throws IOException {
    try (TestService service = new TestService(home)) {
      CheckedClient other = drive.on(service);
      other.call("acquireLock").with("name", "prod").send("{'request_id':'r1'}").answers(201);
      Path locks = home.resolve("logs/locks");
      Files.move(locks, home.resolve("moved"));
      Files.writeString(locks, "in the way");
      Await.until("not ready",
          () -> service.send(service.request("/actuator/health/readiness").build()).status() == 503);
      other.call("getReadiness").as("").answers(503);
      other.call("getHealth").as("").answers(503);
      other.call("getLiveness").as("").answers(200);
      other.call("acquireLock").with("name", "prod").send("{}").answers(503, "storage_unavailable");
      other.call("freezeLock").with("name", "prod").send("{'ttl_seconds':60,'reason':'x'}")
          .answers(503, "storage_unavailable");
      other.call("getOverview").answers(503, "storage_unavailable");
      other.call("followOverview").tells(2);
      Files.delete(locks);
      Files.move(home.resolve("moved"), locks);
    }
  }
}
