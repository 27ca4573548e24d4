package fleet.tower.util;

class LockStoreImpl {}

class StringUtil {}

class LockUtils {
  private static final class LockHelper {}
}

interface LockManager {}

class Utility {}
