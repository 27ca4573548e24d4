package fleet.tower.cli;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.answer.IntentJson;
import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Catalogue.Complaint;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;

/** Commands about intents that run none. */
final class IntentCommands {
  private final Home home;

  IntentCommands(Home home) {
    this.home = home;
  }

  Command validate() {
    return new Command("validate", List.of("[FILE...]"),
        "check the intents and the policy of the home, or the given files", List.of(),
        this::validate);
  }

  private Reply validate(Arguments arguments) {
    if (arguments.operands().isEmpty()) {
      Catalogue catalogue = home.catalogue();
      List<Complaint> complaints = new ArrayList<>(catalogue.complaints());
      List<Complaint> ofPolicy = home.policyComplaints();
      complaints.addAll(ofPolicy);
      return answer(catalogue.list().size() + " in " + home.intentsDirectory(), complaints, hasErrors(ofPolicy));
    }
    List<Path> files = arguments.operands().stream().map(Path::of).toList();
    Optional<Path> missing = files.stream().filter(file -> Files.notExists(file, LinkOption.NOFOLLOW_LINKS))
        .findFirst();
    if (missing.isPresent()) {
      return Reply.failure(ErrorCode.FILE_NOT_FOUND, "there is no file " + missing.get(), "");
    }
    List<Path> intents = files.stream().filter(file -> !Home.isPolicy(file)).toList();
    List<Complaint> complaints = new ArrayList<>(home.examine(intents));
    List<Complaint> ofPolicies = home.examinePolicies(files);
    complaints.addAll(ofPolicies);
    long good = intents.stream()
        .filter(file -> complaints.stream().noneMatch(it -> it.isError() && it.file().equals(file.toString()))).count();
    return answer(good + " of " + intents.size(), complaints, hasErrors(ofPolicies));
  }

  private static boolean hasErrors(List<Complaint> complaints) {
    return complaints.stream().anyMatch(Complaint::isError);
  }

  private static Reply answer(String goodIntents, List<Complaint> complaints, boolean isPolicyInvalid) {
    long errors = complaints.stream().filter(Complaint::isError).count();
    long warnings = complaints.size() - errors;
    JsonWriter json = JsonWriter.line().put("valid", errors == 0).put("errors", errors).put("warnings", warnings)
        .list("complaints", complaints.stream().map(it -> IntentJson.complaint(it).end()).toList());
    Reply reply = Reply.of(errors == 0 ? Exit.DONE : isPolicyInvalid ? Exit.MISCONFIGURED : Exit.FAILED, json);
    complaints.forEach(complaint -> reply.data(complaint.toString()));
    return reply.words("valid intents: " + goodIntents + "; errors: " + errors + "; warnings: " + warnings);
  }
}
