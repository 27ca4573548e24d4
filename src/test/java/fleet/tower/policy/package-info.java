@NullMarked
package fleet.tower.policy;

import org.jspecify.annotations.NullMarked;
