/** Tests of the calls about runs without HTTP. */
@NullMarked
package fleet.tower.service.call.run;

import org.jspecify.annotations.NullMarked;
