package fleet.tower.cli.remote;

import java.util.function.Consumer;

import fleet.tower.audit.AuditTrail;
import fleet.tower.home.Home;
import fleet.tower.operation.Given;
import fleet.tower.operation.HomeHandlers;
import fleet.tower.platform.text.Console;

/** The audit log of a home, of which only a line is in memory at once. */
record HomeAuditClient(Home home) implements AuditClient {

  @Override
  public void read(Given wanted, Consumer<String> lines) {
    AuditTrail.Query query = HomeHandlers.query(wanted);
    trail(wanted).read(query, entry -> lines.accept(entry.line()));
  }

  @Override
  public void follow(Given wanted, Console console) {
    AuditTrail.Query query = HomeHandlers.query(wanted);
    trail(wanted).follow(query, null, new AuditTrail.Reader() {
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

  private AuditTrail trail(Given wanted) {
    return HomeHandlers.trail(wanted, home.auditTrail());
  }
}
