package fleet.tower.cli.overview;

import java.util.function.Consumer;

import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.EventNames;
import fleet.tower.home.Home;
import fleet.tower.platform.text.Console;

/**
 * The audit log of a home.
 *
 * @param isLocal whether only events of this host are read
 */
public record HomeAuditClient(Home home, boolean isLocal) implements AuditClient {

  @Override
  public void read(AuditTrail.Query query, Consumer<String> lines) {
    trail(query).read(query, entry -> lines.accept(entry.line()));
  }

  @Override
  public void follow(AuditTrail.Query query, Console console) {
    trail(query).follow(query, null, new AuditTrail.Reader() {
      @Override
      public boolean take(AuditTrail.Entry entry, String place) {
        console.json(entry.line());
        return !console.isClosed();
      }

      @Override
      public boolean wantsMore() {
        return !console.isClosed();
      }
    });
  }

  /** Refuses names of events that do not exist; a service of another release may have others. */
  private AuditTrail trail(AuditTrail.Query query) {
    if (query.event() != null) {
      EventNames.known(query.event());
    }
    AuditTrail trail = home.auditTrail();
    return isLocal ? trail.ofThisHost() : trail;
  }
}
