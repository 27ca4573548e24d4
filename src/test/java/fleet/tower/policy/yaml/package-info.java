@NullMarked
package fleet.tower.policy.yaml;

import org.jspecify.annotations.NullMarked;
