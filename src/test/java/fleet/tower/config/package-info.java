@NullMarked
package fleet.tower.config;

import org.jspecify.annotations.NullMarked;
