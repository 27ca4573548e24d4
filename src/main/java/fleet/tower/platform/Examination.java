package fleet.tower.platform;

import java.util.List;

/** A read-only check of one part of a home. */
public interface Examination {
  List<Finding> examine();
}
