@NullMarked
package fleet.tower.service.web;

import org.jspecify.annotations.NullMarked;
