package fleet.tower.access;

import java.util.Optional;

/** Knows callers by their tokens. */
public interface Access {

  /** Whose token it is; nothing for one that is not known. The time that takes tells nothing about how close it was. */
  Optional<Caller> callerWith(String token);
}
