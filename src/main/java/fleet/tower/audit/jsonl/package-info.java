/** The audit log as append-only files, one per UTC day, one event per line. */
@NullMarked
package fleet.tower.audit.jsonl;

import org.jspecify.annotations.NullMarked;
