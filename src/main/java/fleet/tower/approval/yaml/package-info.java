/** Rules of approvals in YAML. */
@NullMarked
package fleet.tower.approval.yaml;

import org.jspecify.annotations.NullMarked;
