/** What an operator allows on a home or in a fleet: windows of time and limits of parameter values. */
@NullMarked
package fleet.tower.policy;

import org.jspecify.annotations.NullMarked;
