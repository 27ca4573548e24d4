package fleet.tower.cli.overview;

import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import fleet.tower.answer.CommandLine;
import fleet.tower.answer.Remedy;
import fleet.tower.answer.Reply;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunFollower;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.TimeSpans;

/** Commands that follow a run which another process executes. Ending them does not affect the run. */
public final class FollowCommands {
  private final Home home;
  private final Console console;
  private final Requests requests;
  private final Function<Arguments, RunFollower> followers;

  public FollowCommands(Home home, Console console, Requests requests, Function<Arguments, RunFollower> followers) {
    this.home = home;
    this.console = console;
    this.requests = requests;
    this.followers = followers;
  }

  /** {@code tower wait}. */
  public Command await() {
    return new Command(RunOperations.AWAIT.words(), List.of("RUN"), RunOperations.AWAIT.says(),
        List.of(value("timeout", "D", "stop waiting after D, with exit code 2 (default: no limit)")), this::await);
  }

  private Reply await(Arguments arguments) {
    Duration limit = arguments.duration("timeout").orElse(null);
    RequestId id = RunIds.resolve(arguments.operand(0), requests.asking(arguments));
    RunEnding ending = followers.apply(arguments).await(id, limit);
    if (ending.status().isFinished() || limit == null) {
      return ending.reply(false);
    }
    return Reply.failure(ErrorCode.RUN_WAIT_TIMEOUT,
        "run " + id + " is still " + ending.status() + " after " + TimeSpans.format(limit),
        "continue waiting: " + CommandLine.of(RunOperations.AWAIT, RunOperations.of(id)) + ", or see its output: "
            + CommandLine.of(RunOperations.VIEW, RunOperations.of(id)) + " --follow",
        JsonWriter.line().put("request_id", id.value()).put("status", ending.status().toString()))
        .next(ending.unfinished(Remedy.again("wait for it again")));
  }

  /** {@code tower runs RUN --follow}: prints the run's output from its beginning, as {@code tower run} does. */
  Reply follow(String run, Arguments arguments) {
    RequestId id = RunIds.resolve(run, requests.asking(arguments));
    Narrator narrator = Narrator.on(console, home, arguments.has("json"));
    return followers.apply(arguments).follow(id, narrator).reply(console.isTerminal());
  }
}
