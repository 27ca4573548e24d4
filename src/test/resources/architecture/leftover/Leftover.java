package fleet.tower.lock;

// TODO the rest of it
class Leftover {
  // @Disabled
  void print() {
    try {
      System.out.println("here");
    } catch (RuntimeException e) {
      // FIXME
      e.printStackTrace();
      System.err.println("XXX");
    }
  }

  String mastodon() {
    return "TODOs and XXXL are words of their own";
  }
}
