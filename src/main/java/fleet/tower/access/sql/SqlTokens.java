package fleet.tower.access.sql;

import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import fleet.tower.access.NewTokens;
import fleet.tower.access.OperatorTokenFile;
import fleet.tower.access.StoredAccess;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.TokenSource;
import fleet.tower.access.Tokens;
import fleet.tower.platform.Examination;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Factory of the tokens of a fleet in its database, which has only their digests.
 *
 * @param database stays open
 *
 * @param file the file of this host with the operator's token
 *
 * @param lifetime how old the tokens of others than the operator may become
 *
 * @param hostId the name of this host
 */
public record SqlTokens(Database database, OperatorTokenFile file, StoredAccess.LastUses uses, TokenLifetime lifetime,
    TimeSource time, String hostId) {

  /**
   * The tokens of the fleet for a service. The first service creates the operator's token.
   *
   * @param notifications announces changes
   *
   * @param news receives a sentence about the operator's token, if this host created or entered it, or has none
   *
   * @param warnings receives problems of the operator's token, and of tokens that cannot be read
   */
  public TokenSource open(RandomGenerator random, Notifications notifications, Scheduler scheduler,
      Consumer<String> news, Consumer<String> warnings) {
    new OperatorEntry(tables(), file, new NewTokens(time, random, lifetime), hostId, news, warnings).run();
    FleetTokenSource source = new FleetTokenSource(tables(), time, scheduler, warnings);
    notifications.subscribe(TokenTables.TOPIC, source);
    return source;
  }

  /** The key of the fleet. */
  public HomeKey key(RandomGenerator random) {
    return new HomeKey(new FleetKey(database, new NewTokens(time, random, lifetime))::read);
  }

  /** The tokens of the fleet, for listing and changes. */
  public Tokens tokens(RandomGenerator random) {
    return new FleetTokens(tables(), file, uses, new NewTokens(time, random, lifetime), hostId);
  }

  /**
   * The health check of the fleet's tokens.
   *
   * @param files the tokens in the files of this host
   */
  public Examination examination(Tokens files) {
    return new FleetTokensExamination(tables(), file, files, lifetime, time);
  }

  private TokenTables tables() {
    return new TokenTables(database);
  }
}
