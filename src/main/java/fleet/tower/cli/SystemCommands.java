package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.cli.remote.ServerExamination;
import fleet.tower.cli.remote.Servers;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Doctor;
import fleet.tower.home.Home;
import fleet.tower.home.HomeFinder;
import fleet.tower.home.NoHomeException;
import fleet.tower.home.Release;
import fleet.tower.home.Retention;
import fleet.tower.home.Upkeep;
import fleet.tower.platform.Exit;
import fleet.tower.platform.Finding;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.RunStore;

/** Commands about the installation: health, retention, version. */
final class SystemCommands {
  private final HomeFinder finder;
  private final Home home;
  private final Servers servers;

  SystemCommands(HomeFinder finder, Home home, Servers servers) {
    this.finder = finder;
    this.servers = servers;
    this.home = home;
  }

  Command doctor() {
    return new Command("doctor", List.of(), "check this home and print what to fix", List.of(), this::doctor);
  }

  /** Works on the home's files only, even if a service is configured. */
  Command gc() {
    return new Command("gc", List.of(), "remove runs, audit logs and unused lock names that are past their retention",
        List.of(flag("dry-run", "only print what would be removed"),
            value("runs", "D", "keep runs and their output this long (90d; 0: forever)"),
            value("audit", "D", "keep the audit log this long (400d; 0: forever)")),
        this::collect);
  }

  private Reply collect(Arguments arguments) {
    Upkeep upkeep = home.upkeep();
    Retention.Limits set = upkeep.limits();
    Retention.Limits limits = new Retention.Limits(arguments.duration("runs").orElse(set.runs()), set.mostRuns(),
        arguments.duration("audit").orElse(set.audit()), set.lockNames());
    boolean isDry = arguments.has("dry-run");
    Retention.Removal removal;
    try (RunStore records = upkeep.records()) {
      Retention retention = upkeep.retention(records, limits);
      removal = isDry ? retention.preview() : retention.expire(Duration.ZERO);
    }
    List<String> days = removal.auditDays().stream().map(LocalDate::toString).toList();
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().put("dry_run", isDry).put("runs", removal.runs())
        .put("outputs", removal.outputs()).put("lock_names", removal.lockNames())
        .list("audit_days", days.stream().map(JsonWriter::quote).toList())
        .put("audit_kept", removal.auditKept()));
    reply.data((isDry ? "would remove " : "removed ") + removal.runs() + " runs, the output of " + removal.outputs()
        + " unknown runs, " + removal.lockNames() + " unused lock names, " + days.size() + " days of audit log"
        + (days.isEmpty() ? "" : " (" + days.getFirst() + " to " + days.getLast() + ")"));
    return removal.auditKept() == null
        ? reply
        : reply.words("tower: older days of the audit log are kept: " + removal.auditKept());
  }

  Command version() {
    return new Command("version", List.of(), "print the version", List.of(), _ -> versions());
  }

  /** A home that others can change is only looked at from outside. */
  private Doctor doctorOf(Path root) {
    try {
      finder.find();
    } catch (NoHomeException untrusted) {
      return Upkeep.doctorOfUntrusted(root);
    }
    return home.upkeep().doctor();
  }

  private Reply doctor(Arguments arguments) {
    Path root = finder.findUntrusted().root();
    List<Finding> findings = new ArrayList<>(doctorOf(root).examine());
    ServerExamination.of(servers, arguments).ifPresent(server -> findings.addAll(server.examine()));
    Finding.Severity overall = Doctor.overall(findings);
    JsonWriter json = JsonWriter.line().put("overall", overall.toString()).put("home", root.toString())
        .list("checks",
            findings.stream()
                .map(finding -> JsonWriter.line().put("check", finding.check())
                    .put("status", finding.severity().toString()).put("message", finding.message())
                    .put("remedy", finding.remedy()).end())
                .toList());
    Reply reply = Reply.of(overall == Finding.Severity.FAIL ? Exit.FAILED : Exit.DONE, json);
    List<List<String>> rows = new ArrayList<>();
    findings.forEach(finding -> {
      rows.add(List.of(finding.severity().toString(), finding.check(), finding.message()));
      if (finding.remedy() != null) {
        rows.add(List.of("", "", "→ " + finding.remedy()));
      }
    });
    Table.lines(rows).forEach(reply::data);
    return reply;
  }

  private static Reply versions() {
    String version = Release.version();
    return Reply
        .of(Exit.DONE,
            JsonWriter.line().put("version", version).put("spec", "tower-fleet/lock/v1").put("java",
                Runtime.version().toString()))
        .data("tower " + version + " (tower-fleet/lock/v1, Java " + Runtime.version() + ")");
  }
}
