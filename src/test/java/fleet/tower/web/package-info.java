@NullMarked
package fleet.tower.web;

import org.jspecify.annotations.NullMarked;
