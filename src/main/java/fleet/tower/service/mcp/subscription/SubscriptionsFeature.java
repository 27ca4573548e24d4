package fleet.tower.service.mcp.subscription;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

import fleet.tower.access.Caller;
import fleet.tower.answer.RunJson;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.LockView;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.resource.ResourceUri;
import fleet.tower.service.mcp.resource.RunLog;
import fleet.tower.service.mcp.resource.TowerResources;
import fleet.tower.service.mcp.task.RunTasks;
import fleet.tower.service.mcp.task.TasksFeature;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;

/**
 * The call {@code subscriptions/listen} of the newer revision: a stream of changes of lists, of runs, of their output,
 * of locks and of tasks. What cannot be followed is missing in the acknowledgement.
 */
public final class SubscriptionsFeature implements Feature {
  private final Home home;
  private final RunEngine engine;
  private final RunTasks tasks;

  public SubscriptionsFeature(Home home, RunEngine engine, RunTasks tasks) {
    this.home = home;
    this.engine = engine;
    this.tasks = tasks;
  }

  /** The features whose lists and resources change declare it. */
  @Override
  public JsonWriter capabilities(Revision revision) {
    return JsonWriter.line();
  }

  @Override
  public Map<String, Method> methods(Revision revision) {
    return switch (revision) {
      case V2025_11_25 -> Map.of();
      case V2026_07_28 -> Map.of("subscriptions/listen", this::listen);
    };
  }

  private JsonWriter listen(Exchange exchange) {
    SubscriptionFilter filter = SubscriptionFilter.of(exchange.request().params());
    if (filter.tasks() != null) {
      TasksFeature.requireDeclared(exchange.request());
    }
    JsonWriter acknowledgement = JsonWriter.line();
    List<Watched> changes = new ArrayList<>(lists(filter, exchange.caller(), acknowledgement));
    List<Watched> reported = new ArrayList<>();
    if (filter.resources() != null) {
      follow(filter.resources(), this::resource, changes, acknowledgement, "resourceSubscriptions");
    }
    if (filter.tasks() != null) {
      follow(filter.tasks(), id -> task(id, exchange), reported, acknowledgement, "taskIds");
    }
    Subscription subscription = new Subscription(exchange, home.scheduler());
    subscription.run(acknowledgement, changes, reported);
    return subscription.meta();
  }

  private static void follow(List<String> names, Function<String, Optional<Watched>> watching, List<Watched> all,
      JsonWriter acknowledgement, String member) {
    List<String> followed = new ArrayList<>();
    names.forEach(name -> watching.apply(name).ifPresent(watched -> {
      all.add(watched);
      followed.add(JsonWriter.quote(name));
    }));
    acknowledgement.list(member, followed);
  }

  private List<Watched> lists(SubscriptionFilter filter, Caller caller, JsonWriter acknowledgement) {
    List<Watched> lists = new ArrayList<>();
    if (filter.toolsListChanged()) {
      acknowledgement.put("toolsListChanged", true);
      lists.add(intents(intent -> caller.mayRun(intent.name()), "tools"));
    }
    if (filter.resourcesListChanged()) {
      acknowledgement.put("resourcesListChanged", true);
      lists.add(intents(intent -> TowerResources.isOfUse(intent, caller), "resources"));
    }
    return lists;
  }

  private Watched intents(Predicate<Intent> shown, String list) {
    return new PolledState(
        new ListVersion<>(() -> engine.catalogue().list().stream().filter(shown).toList()),
        Notification.listChanged(list), home.scheduler());
  }

  private Optional<Watched> resource(String uri) {
    try {
      return ResourceUri.parse(uri).flatMap(resource -> switch (resource) {
        case ResourceUri.OfRun(RequestId id) -> run(id, SubscriptionsFeature::progress, uri);
        case ResourceUri.OfLog(RequestId id, var _, long _) -> run(id, this::output, uri);
        case ResourceUri.OfLock(LeaseName name) ->
          Optional.of(new PolledState(() -> lock(name), Notification.updated(uri), home.scheduler()));
        case ResourceUri.Prime _,ResourceUri.OfIntent _,ResourceUri.Audit _,ResourceUri.Hosts _ -> Optional.empty();
      });
    } catch (ProtocolError invalid) {
      return Optional.empty();
    }
  }

  private Optional<Watched> run(RequestId id, Function<RunHandle, String> state, String uri) {
    return engine.runs().find(id)
        .map(handle -> new WatchedRun(handle, state, _ -> Notification.updated(uri)));
  }

  private String output(RunHandle handle) {
    Run run = handle.run();
    return RunLog.size(run, engine.logs()) + " " + run.status();
  }

  private Optional<Watched> task(String id, Exchange exchange) {
    return RequestId.isValid(id)
        ? engine.runs().find(new RequestId(id))
            .map(handle -> new WatchedRun(handle, SubscriptionsFeature::progress,
                _ -> new Notification("notifications/tasks", id,
                    tasks.detailed(id, exchange).orElseGet(JsonWriter::line))))
        : Optional.empty();
  }

  private static String progress(RunHandle handle) {
    return RunJson.summary(handle.run()).end() + handle.position();
  }

  /** Omits the times of heartbeats, which are not a change to a client that waits. */
  private String lock(LeaseName name) {
    LockView view = home.locks().view(name);
    String holder = switch (view.leaseState()) {
      case LeaseState.Held(Lease lease, Age _) -> lease.requestId() + " " + lease.token() + " "
          + lease.holder().isGone();
      case LeaseState.Vacant _,LeaseState.Unusable _ -> "";
    };
    return view.state() + " " + holder + " " + view.freeze() + " " + home.locks().waiters(name);
  }
}
