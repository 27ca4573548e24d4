package fleet.tower.lock;

class HolderMain {
  static final class Lap {
    final long nanos = System.nanoTime();
  }
}
