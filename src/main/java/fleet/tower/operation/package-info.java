/** What may be asked: one table of operations by subject, with the handlers that carry them out. */
@NullMarked
package fleet.tower.operation;

import org.jspecify.annotations.NullMarked;
