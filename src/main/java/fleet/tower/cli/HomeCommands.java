package fleet.tower.cli;

import java.nio.file.Path;
import java.util.List;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.home.HomeFinder;
import fleet.tower.home.HomeLocation;
import fleet.tower.home.NewHome;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** Commands about the home itself: {@code tower init} creates one, {@code tower home} prints the one in use. */
final class HomeCommands {
  private final HomeFinder finder;
  private final Console console;

  HomeCommands(HomeFinder finder, Console console) {
    this.finder = finder;
    this.console = console;
  }

  Command init() {
    return new Command("init", List.of("[DIR]"),
        "create a home in DIR (default: TOWER_HOME, else the working directory)", List.of(), this::init);
  }

  Command home(Home home) {
    return new Command("home", List.of(), "print the home that commands use, and the rule that found it", List.of(),
        _ -> shown(finder.find(), home.upkeep().store()));
  }

  /**
   * Wraps a command that takes locks: it names the home on stderr unless the user named it, and refuses if the home
   * hides another one.
   */
  Command naming(Command command) {
    return command.acting(arguments -> {
      HomeLocation home = finder.find();
      home.requireOnly();
      if (!home.rule().isNamed()) {
        console.words("tower: home " + home.root() + " (" + home.rule().sentence() + ")");
      }
      return command.action().run(arguments);
    });
  }

  private Reply init(Arguments arguments) {
    Path root = arguments.optionalOperand(0).map(Path::of).orElseGet(finder::placeForNew).toAbsolutePath().normalize();
    finder.requireTrust(root);
    NewHome home = new NewHome(root);
    List<String> created = home.create();
    home.warning().ifPresent(warning -> console.words("tower: warning: " + warning));
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().put("home", root.toString()).list("created",
        created.stream().map(JsonWriter::quote).toList())).data(root.toString());
    return created.isEmpty()
        ? reply.words("already a home; nothing was changed")
        : reply.words("created " + String.join(", ", created) + "; use it with TOWER_HOME=" + root
            + ", or from any directory in it");
  }

  private static Reply shown(HomeLocation home, String store) {
    return Reply.of(Exit.DONE, JsonWriter.line().put("home", home.root().toString()).put("rule", home.rule().label())
        .put("found_by", home.rule().sentence()).put("store", store)).data(home.root().toString())
        .words(home.rule().sentence()).words(store);
  }
}
