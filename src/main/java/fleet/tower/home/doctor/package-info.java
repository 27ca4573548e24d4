/** The health check of a home: findings, each with a remedy. */
@NullMarked
package fleet.tower.home.doctor;

import org.jspecify.annotations.NullMarked;
