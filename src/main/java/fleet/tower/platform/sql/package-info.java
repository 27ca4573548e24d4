/**
 * Support for adapters on databases: connections, the schema, transactions that share a sync, errors that state the
 * remedy.
 */
@NullMarked
package fleet.tower.platform.sql;

import org.jspecify.annotations.NullMarked;
