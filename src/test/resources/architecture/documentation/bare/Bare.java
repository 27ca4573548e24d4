package fleet.tower.bare;

public interface Bare {
  record ImplicitlyPublic() {}

  /** Documented. */
  final class Documented {
    public enum Inner {
      ONE
    }

    enum Hidden {
      ONE
    }
  }
}

class PackagePrivate {
  public static final class NotReallyPublic {}
}
