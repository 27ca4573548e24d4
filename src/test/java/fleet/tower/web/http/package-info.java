@NullMarked
package fleet.tower.web.http;

import org.jspecify.annotations.NullMarked;
