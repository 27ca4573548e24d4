package fleet.tower.lock.sql;

import fleet.tower.lease.Holder;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.freeze.FreezeRequest;
import fleet.tower.platform.InvalidValue;

/** Checks that PostgreSQL can store a text: it accepts every character except U+0000. */
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

  private static void check(String field, String value) {
    if (value.indexOf('\0') >= 0) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          field + " contains the character U+0000, which the database cannot store; remove it");
    }
  }
}
