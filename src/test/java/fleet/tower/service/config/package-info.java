@NullMarked
package fleet.tower.service.config;

import org.jspecify.annotations.NullMarked;
