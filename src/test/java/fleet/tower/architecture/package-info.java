/** Tests of the architecture rules, each with a fixture that violates it. */
@NullMarked
package fleet.tower.architecture;

import org.jspecify.annotations.NullMarked;
