@NullMarked
package fleet.tower.audit.jsonl;

import org.jspecify.annotations.NullMarked;
