package fleet.tower.hammer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import fleet.tower.harness.Installation;
import fleet.tower.lock.Competitor;

/**
 * A client whose environment leads to another store: it runs the commands of a home whose service has its locks
 * elsewhere. Each must refuse; a lock that it gets would exclude nobody.
 */
final class ElsewhereClient extends HammerClient {
  private static final String ELSEWHERE = "the locks of this home are in ";

  private final Installation tower;
  private int attempts;

  ElsewhereClient(String id, Installation tower) {
    super(id);
    this.tower = tower;
  }

  @Override
  void move() {
    String name = Competitor.NAMES.get(random.nextInt(Competitor.NAMES.size())).value();
    String request = "req_" + id + "_" + attempts++;
    Path entered = tower.root().resolve("entered-" + request);
    String command = List.of("lock", "check", "guard", "script lock", "script check").get(random.nextInt(5));
    Installation.Result result = switch (command) {
      case "lock" -> tower.tower("lock", name, "--request-id", request, "--force-lock");
      case "check" -> tower.tower("check", name);
      case "guard" -> tower.tower("guard", name, "--force-lock", "-E", "69", "--", "touch", entered.toString());
      case "script lock" -> tower.run(List.of("bash", "-c", """
          source bin/lock-manager.sh
          if acquire_lock %s %s test 1 true; then touch %s; else exit 69; fi""".formatted(name, request, entered)));
      default -> tower.run(List.of("bin/lock-manager.sh", "check", name));
    };
    if (result.exit() == 69 && result.out().isEmpty() && result.err().contains(ELSEWHERE) && !Files.exists(entered)) {
      count("elsewhere " + command + " 69");
    } else {
      fault("other store: " + command + " " + result.exit() + " " + result.err().lines().findFirst().orElse(""));
    }
  }
}
