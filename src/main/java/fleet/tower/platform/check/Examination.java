package fleet.tower.platform.check;

import java.util.List;

/** Looks at one part of the home and changes nothing. */
public interface Examination {
  List<Finding> examine();
}
