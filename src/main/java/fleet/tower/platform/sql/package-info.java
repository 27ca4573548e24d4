/** What every adapter on a database needs: opening one, its schema, transactions that share a sync, errors that say what to do. */
@NullMarked
package fleet.tower.platform.sql;

import org.jspecify.annotations.NullMarked;
