/** YAML as it is written: files that are read again when they change, nodes with their places, rules that they must keep. */
@NullMarked
package fleet.tower.platform.yaml;

import org.jspecify.annotations.NullMarked;
