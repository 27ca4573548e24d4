@NullMarked
package fleet.tower.web.connection;

import org.jspecify.annotations.NullMarked;
