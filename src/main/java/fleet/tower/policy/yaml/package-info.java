/** The file of the policy, {@code config/policy.yaml}. */
@NullMarked
package fleet.tower.policy.yaml;

import org.jspecify.annotations.NullMarked;
