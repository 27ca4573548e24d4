package fleet.tower.service.mcp.resource;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.HaltText;
import fleet.tower.answer.HostJson;
import fleet.tower.answer.IntentJson;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.prime.Briefing;
import fleet.tower.answer.prime.Reader;
import fleet.tower.audit.AuditTrail;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.run.Run;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.task.RunResults;
import fleet.tower.service.mcp.tool.PlainText;
import fleet.tower.service.mcp.tool.ToolMembers;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * The page for agents, and the intents, runs, locks, audit log and hosts of a home, as HTTP and the tools show them.
 * Every role may read all of them.
 */
public final class TowerResources implements ResourceSource {
  private static final String JSON = "application/json";
  private static final Duration NOT_FRESH = Duration.ZERO;
  private static final Duration FRESH = Duration.ofMinutes(1);
  private static final int MOST_EVENT_CHARACTERS = 256 * 1024;

  private final Home home;
  private final RunEngine engine;
  private final RunResults results;
  private final @Nullable Path project;

  /** @param project the directory whose guarded scripts the page for agents lists; null for none */
  public TowerResources(Home home, RunEngine engine, RunResults results, @Nullable Path project) {
    this.home = home;
    this.engine = engine;
    this.results = results;
    this.project = project;
  }

  @Override
  public List<Entry> list(Caller caller) {
    List<Entry> all = new ArrayList<>();
    all.add(new Entry(ResourceUri.SCHEME + "prime", definition("prime", "How to work here",
        "What is locked and what you may run here, and what to do when refused", "text/markdown")));
    all.add(new Entry(ResourceUri.SCHEME + "hosts", definition("hosts", "Hosts",
        "The hosts with their runs and locks", JSON)));
    all.add(new Entry(ResourceUri.SCHEME + "audit", definition("audit", "Audit log",
        "The newest events of the audit log", JSON)));
    engine.catalogue().list().stream().filter(intent -> isOfUse(intent, caller))
        .forEach(intent -> all.add(new Entry(ResourceUri.SCHEME + "intents/" + intent.name(), definition(intent.name(),
            "Intent " + intent.name(), PlainText.line(intent.metadata().description()), JSON))));
    return all;
  }

  /** Whether an intent is listed for a caller. A viewer may plan all of them. */
  public static boolean isOfUse(Intent intent, Caller caller) {
    return !caller.role().covers(Role.AGENT) || caller.mayRun(intent.name());
  }

  @Override
  public List<JsonWriter> templates() {
    return List.of(
        template("intents/{name}", "intent", "An intent: its parameters, lock and steps", JSON),
        template("runs/{id}", "run", "A run with the end of each step's output", JSON),
        template("runs/{id}/log{?step,offset}", "run_log",
            "The output of a run or of one of its steps, in parts; the last line names the next part", "text/plain"),
        template("locks/{name}", "lock", "A lock: its state, holder, freeze and number of waiters", JSON),
        template("audit{?since,until,event,lock_name,request_id,limit,cursor,local}", "audit_events",
            "The newest matching events of the audit log, oldest first; next is the cursor of older ones", JSON));
  }

  private static JsonWriter template(String path, String name, String description, String mimeType) {
    return JsonWriter.line().put("uriTemplate", ResourceUri.SCHEME + path).put("name", name)
        .put("description", description).put("mimeType", mimeType);
  }

  private static JsonWriter definition(String name, String title, String description, String mimeType) {
    JsonWriter definition = JsonWriter.line().put("name", name).put("title", title);
    return (description.isEmpty() ? definition : definition.put("description", description)).put("mimeType", mimeType);
  }

  @Override
  public Optional<ResourceContents> read(String uri, Exchange exchange) {
    return ResourceUri.parse(uri).map(resource -> {
      try {
        return contents(resource, exchange);
      } catch (InvalidValue e) {
        throw ResourceUri.invalid(uri, e.problem());
      }
    });
  }

  private String page(Caller caller) {
    return Briefing.of(Reader.withTools(caller), JsonReader.readOwn(IntentJson.catalogue(engine.catalogue()).end()),
        home.locks().list(), HaltText.all(home.halts().inForce()), project).markdown().stream()
        .map(line -> Console.printable(line) + "\n").collect(Collectors.joining());
  }

  private ResourceContents contents(ResourceUri resource, Exchange exchange) {
    return switch (resource) {
      case ResourceUri.Prime() -> ResourceContents.text("text/markdown", page(exchange.caller()), NOT_FRESH);
      case ResourceUri.Hosts() -> ResourceContents
          .json(HostJson.hosts(home.runs().hosts(engine).list()).end(), NOT_FRESH);
      case ResourceUri.Audit audit -> ResourceContents.json(events(audit).end(), NOT_FRESH);
      case ResourceUri.OfIntent(String name) -> ResourceContents.json(intent(name, exchange.caller()).end(), FRESH);
      case ResourceUri.OfLock(LeaseName name) -> ResourceContents.json(lock(name).end(), NOT_FRESH);
      case ResourceUri.OfRun(RequestId id) -> {
        RunHandle handle = handle(id);
        Run run = handle.run();
        yield ResourceContents.json(requireNonNull(results.shown(run, handle, exchange).structured()),
            freshness(run));
      }
      case ResourceUri.OfLog log -> {
        Run run = handle(log.id()).run();
        yield ResourceContents.text("text/plain",
            RunLog.part(run, engine.logs(), log.step(), log.offset()), freshness(run));
      }
    };
  }

  private static Duration freshness(Run run) {
    return run.status().isFinished() ? FRESH : NOT_FRESH;
  }

  private JsonWriter events(ResourceUri.Audit audit) {
    AuditTrail trail = audit.isLocal() ? home.auditTrail().ofThisHost() : home.auditTrail();
    return trail.page(audit.query(), audit.page(), MOST_EVENT_CHARACTERS).jsonOf("events", AuditTrail.Entry::line);
  }

  private JsonWriter intent(String name, Caller caller) {
    Catalogue catalogue = engine.catalogue();
    return catalogue.find(name).map(it -> IntentJson.intent(it).put("allowed", caller.mayRun(it.name())))
        .orElseThrow(() -> unknown("intent", name, catalogue.closest(name)));
  }

  /**
   * A free lock is a resource too, so that a client can follow a lock from before its grant until after its release.
   */
  private JsonWriter lock(LeaseName name) {
    Locks locks = home.locks();
    return ToolMembers.of(LockJson.view(locks.view(name), locks.waiters(name)));
  }

  private RunHandle handle(RequestId id) {
    return engine.runs().find(id).orElseThrow(() -> unknown("run", id.value(), List.of()));
  }

  private static InvalidValue unknown(String kind, String name, List<String> closest) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, "there is no " + kind + " " + InvalidValue.shown(name)
        + (closest.isEmpty() ? "" : "; did you mean " + String.join(" or ", closest) + "?"));
  }
}
