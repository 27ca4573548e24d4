/** Takes requests for runs: checks them, makes sure that each is run once, hands them to an execution, and shows what becomes of them. */
@NullMarked
package fleet.tower.run.submit;

import org.jspecify.annotations.NullMarked;
