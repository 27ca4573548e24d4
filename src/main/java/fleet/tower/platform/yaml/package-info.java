/**
 * Strict YAML: files that are read again when they change, nodes with their positions, and validation against a
 * schema.
 */
@NullMarked
package fleet.tower.platform.yaml;

import org.jspecify.annotations.NullMarked;
