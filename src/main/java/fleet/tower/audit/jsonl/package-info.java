/** The audit log as append-only files, one for each UTC day, one event a line. */
@NullMarked
package fleet.tower.audit.jsonl;

import org.jspecify.annotations.NullMarked;
