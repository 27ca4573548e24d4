package fleet.tower.access.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.OperatorTokenFile;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.Tokens;
import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/** Checks the tokens of a fleet, and whether the operator's token in the file of this host is that of the fleet. */
record FleetTokensExamination(TokenTables tables, OperatorTokenFile file, Tokens files, TokenLifetime lifetime,
    TimeSource time) implements Examination {
  private static final String CHECK = "fleet tokens";
  private static final String OPERATOR = "fleet operator";

  @Override
  public List<Finding> examine() {
    StoredTokens stored;
    try {
      stored = tables.load();
    } catch (StorageException e) {
      return List.of(Finding.warn(CHECK, "unknown: " + e.getMessage(),
          "services accept the tokens that they read last until the database is available"));
    }
    List<Finding> findings = new ArrayList<>();
    stored.operator().ifPresentOrElse(fleets -> findings.add(operator(fleets)),
        () -> findings.add(Finding.ok(OPERATOR, "none yet; `tower serve` creates one")));
    findings.addAll(tokens(stored));
    return findings;
  }

  private Finding operator(OperatorToken fleets) {
    Optional<String> own = own();
    if (own.isEmpty()) {
      return Finding.ok(OPERATOR, "on host " + fleets.hostId() + ", not on this one");
    }
    if (own.get().equals(fleets.current().sha256())) {
      return Finding.ok(OPERATOR, "on this host");
    }
    return fleets.previous().stream()
        .filter(it -> it.sha256().equals(own.get()) && !it.isExpiredAt(time.now())).findFirst()
        .map(it -> Finding.warn(OPERATOR, "the token in " + file.path() + " was replaced on host " + fleets.hostId()
            + end(it), "use the one on that host"))
        .orElseGet(() -> Finding.warn(OPERATOR, OperatorEntry.stale(file, fleets).replaceFirst(";.*", ""),
            "use that one, or run `tower token rotate operator` here"));
  }

  private static String end(Generation token) {
    return token.expires() == null ? "" : " and ends at " + Timestamps.format(token.expires());
  }

  /** The digest in the file; empty if there is none, or if it is invalid, which another check reports. */
  private Optional<String> own() {
    try {
      return file.look().map(it -> it.current().sha256());
    } catch (StorageException invalid) {
      return Optional.empty();
    }
  }

  private List<Finding> tokens(StoredTokens stored) {
    List<Finding> findings = new ArrayList<>();
    stored.unreadable().forEach((name, problem) -> findings.add(Finding.warn(CHECK, problem,
        "upgrade this host, or revoke the token and create it again")));
    findings.addAll(lifetime.examine(CHECK, stored.grants(), time.now()));
    List<String> local = local();
    stored.grants().stream().map(Grant::name).filter(local::contains)
        .forEach(name -> findings.add(Finding.warn(CHECK, "'" + name
            + "' is also in the file of this host; a revocation ends only one of them",
            "tower token revoke " + name + " --local")));
    if (findings.isEmpty()) {
      findings.add(Finding.ok(CHECK, stored.grants().isEmpty()
          ? "only the operator's"
          : stored.grants().size() + ", all valid"));
    }
    return findings;
  }

  /** The names in the file of this host; none if it is invalid, which another check reports. */
  private List<String> local() {
    try {
      return files.list().stream().map(Grant::name).toList();
    } catch (StorageException invalid) {
      return List.of();
    }
  }
}
