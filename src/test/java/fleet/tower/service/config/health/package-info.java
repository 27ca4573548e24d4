/** Tests of health probes that succeed, fail and block. */
@NullMarked
package fleet.tower.service.config.health;

import org.jspecify.annotations.NullMarked;
