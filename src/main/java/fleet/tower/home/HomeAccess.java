package fleet.tower.home;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import fleet.tower.access.Access;
import fleet.tower.access.AuditedTokens;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.Tokens;
import fleet.tower.access.sql.SqlTokens;
import fleet.tower.lease.Door;
import fleet.tower.platform.Examination;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.KernelRandom;

/** The access control of a home: its tokens, in a file of its own or in the database of its fleet. */
public final class HomeAccess {
  private final Home home;
  private final HomeStorage storage;
  private final Consumer<String> warnings;

  HomeAccess(Home home, Consumer<String> warnings) {
    this.home = home;
    this.storage = home.storage();
    this.warnings = warnings;
  }

  /**
   * Access control of this home's service; creates the operator token if there is none.
   *
   * @param news receives a sentence about a created token, or about the host that has it
   */
  public Access open(Consumer<String> news) {
    KernelRandom random = new KernelRandom();
    return storage.fleet().isShared()
        ? storage.accessFiles().open(
            fleetTokens().open(random, storage.fleet().notifications(), home.scheduler(), news, warnings), random)
        : storage.accessFiles().open(random, path -> news.accept("wrote the operator's token to " + path));
  }

  /** Whether the tokens that are created are known to all hosts of a fleet. */
  public boolean hasFleetTokens() {
    return storage.fleet().isShared();
  }

  /** The tokens that the operator of the fleet creates for others; without a fleet, those of this home. */
  public Tokens tokens() {
    return storage.fleet().isShared() ? audited(fleetTokens().tokens(new KernelRandom())) : localTokens();
  }

  /** How old a token of others than the operator may become. */
  public TokenLifetime lifetime() {
    return storage.accessFiles().lifetime();
  }

  /** The tokens in the file of this home. */
  public Tokens localTokens() {
    return audited(storage.accessFiles().tokens(new KernelRandom()));
  }

  private Tokens audited(Tokens tokens) {
    return new AuditedTokens(tokens, home.auditLog(), home.time(), home.actor(Optional.empty(), Door.CLI));
  }

  /** The file with the operator's token; empty if the service does not accept that one, or its fleet is unavailable. */
  public Optional<Path> operatorToken() {
    try {
      Optional<String> own = storage.accessFiles().operator().look().map(it -> it.current().sha256());
      Optional<String> accepted = tokens().operator().map(it -> it.current().sha256());
      return own.isPresent() && own.equals(accepted)
          ? Optional.of(home.root().resolve("state/token"))
          : Optional.empty();
    } catch (StorageException unavailable) {
      return Optional.empty();
    }
  }

  private SqlTokens fleetTokens() {
    return storage.fleet().tokens(storage.accessFiles(), home.hostId());
  }

  /** The health check of the tokens of this host and of its fleet. */
  Examination examination() {
    if (!storage.fleet().isShared()) {
      return storage.accessFiles().examination();
    }
    Examination own = storage.accessFiles().fleetExamination();
    Examination fleets = fleetTokens().examination(storage.accessFiles().tokens(new KernelRandom()));
    return () -> Stream.concat(own.examine().stream(), fleets.examine().stream()).toList();
  }
}
