package fleet.tower.lock.sql;

import fleet.tower.lease.Holder;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.freeze.FreezeRequest;
import fleet.tower.platform.InvalidValue;

/** Whether PostgreSQL can keep a text: everything but the character of the value 0. */
final class Storable {
  private Storable() {}

  static void check(AcquireRequest request) {
    Holder holder = request.holder();
    check("actor", holder.actor());
    check("intent", holder.intent());
    check("intent version", holder.intentVersion());
    check("host id", holder.hostId());
  }

  static void check(FreezeRequest request) {
    check("actor", request.actor());
    check("reason", request.reason());
    String onBehalfOf = request.onBehalfOf();
    if (onBehalfOf != null) {
      check("on_behalf_of", onBehalfOf);
    }
  }

  private static void check(String what, String value) {
    if (value.indexOf('\0') >= 0) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          what + " holds the character U+0000, which the database cannot keep; leave it out");
    }
  }
}
