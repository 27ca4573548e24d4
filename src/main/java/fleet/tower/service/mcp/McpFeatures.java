package fleet.tower.service.mcp;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.LockEstimates;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.home.Settings;
import fleet.tower.service.mcp.prompt.PromptsFeature;
import fleet.tower.service.mcp.prompt.TowerPrompts;
import fleet.tower.service.mcp.resource.ResourcesFeature;
import fleet.tower.service.mcp.resource.TowerResources;
import fleet.tower.service.mcp.subscription.SubscriptionsFeature;
import fleet.tower.service.mcp.task.FollowLimits;
import fleet.tower.service.mcp.task.FollowedRuns;
import fleet.tower.service.mcp.task.RunResults;
import fleet.tower.service.mcp.task.RunTasks;
import fleet.tower.service.mcp.task.RunWaits;
import fleet.tower.service.mcp.task.TasksFeature;
import fleet.tower.service.mcp.tool.IntentOffer;
import fleet.tower.service.mcp.tool.IntentTools;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.tool.ToolsFeature;
import fleet.tower.service.mcp.tool.UsualDurations;
import fleet.tower.service.mcp.tool.fixed.LockTools;
import fleet.tower.service.mcp.tool.fixed.MailboxTools;
import fleet.tower.service.mcp.tool.fixed.RunTools;
import fleet.tower.service.mcp.tool.fixed.TaskTools;
import fleet.tower.service.mcp.wire.Feature;

/** The features of the protocol on a home and the engine of this process. */
public final class McpFeatures {
  private final Home home;
  private final RunEngine engine;
  private final McpCalls calls;
  private final IntentOffer offer;
  private final FollowLimits limits;
  private final RunWaits waits;
  private final LockEstimates estimates;
  private final RunResults results;
  private final RunTasks tasks;
  private final @Nullable Path project;

  /** @param project the directory whose guarded scripts the page for agents lists; null for none */
  public McpFeatures(Home home, RunEngine engine, McpCalls calls, @Nullable Path project) {
    this.project = project;
    this.home = home;
    this.engine = engine;
    this.calls = calls;
    offer = new IntentOffer(engine.catalogue(), IntentOffer.Mode.of(Settings.MCP_TOOLS.of(home.settings())));
    limits = new FollowLimits(Settings.MCP_TASK_AFTER.of(home.settings()),
        Settings.MCP_ANSWER_WITHIN.of(home.settings()));
    waits = new RunWaits(home.scheduler(), engine.logs());
    estimates = new LockEstimates(home.locks(), engine.runs(), home.time());
    results = new RunResults(engine.logs(), estimates, offer::refused);
    Duration retention = home.upkeep().limits().runs();
    tasks = new RunTasks(engine.runs(), results, home.time(), retention);
  }

  /** The features of a process that answers one client on the home's files. */
  public List<Feature> all() {
    return List.of(tools(List.of()), tasks(), resources(), subscriptions(), prompts());
  }

  /**
   * The tools.
   *
   * @param more tools besides those of this program
   */
  public ToolsFeature tools(List<ToolBox> more) {
    List<ToolBox> boxes = new ArrayList<>();
    boxes.add(new IntentTools(offer, calls.operations(), calls.waits(), estimates,
        new FollowedRuns(engine.runs(), waits, results, tasks, limits),
        new UsualDurations(engine.runs()::usualDuration, home.time())));
    boxes.add(new RunTools(engine.catalogue(), calls.operations(), calls.waits(), waits, results, limits, estimates));
    boxes.add(new LockTools(calls.operations(), home.locks(), home.halts(), engine, estimates, limits.answerWithin()));
    boxes.add(new TaskTools(calls.operations(), estimates));
    boxes.add(new MailboxTools(calls.operations(), estimates, limits.answerWithin()));
    boxes.addAll(more);
    return new ToolsFeature(offer, boxes);
  }

  public TasksFeature tasks() {
    return new TasksFeature(tasks, engine.runs());
  }

  public ResourcesFeature resources() {
    return new ResourcesFeature(List.of(new TowerResources(home, engine, results, project)));
  }

  public SubscriptionsFeature subscriptions() {
    return new SubscriptionsFeature(home, engine, tasks);
  }

  public PromptsFeature prompts() {
    return new PromptsFeature(TowerPrompts.of(engine));
  }
}
