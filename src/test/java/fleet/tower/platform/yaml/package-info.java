/** Tests of the readers of YAML. */
@NullMarked
package fleet.tower.platform.yaml;

import org.jspecify.annotations.NullMarked;
