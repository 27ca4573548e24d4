package fleet.tower.platform;

import java.util.List;

/**
 * The tables of a database as far as this program needs them. The scripts that create them are known by their names.
 */
public interface StoreSchema {

  /** The name of the database in messages. */
  String database();

  /** The scripts that the database lacks; empty if it is up to date, also if a newer program has added more. */
  List<String> missing();

  /** Applies the missing scripts; returns those that this call applied. */
  List<String> upgrade();

  /** The statements that {@link #upgrade} would execute, in one transaction; empty if nothing is missing. */
  List<String> statements();
}
