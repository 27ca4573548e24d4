package fleet.tower.intent;

/** Where the host that executes a run finds a secret. */
public sealed interface SecretSource {

  /** The word for this kind of place. */
  String kind();

  /** The path of the file, or the name of the variable. */
  String place();

  /** A file; a relative path starts at the home. */
  record FromFile(String place) implements SecretSource {
    @Override
    public String kind() {
      return "file";
    }
  }

  /** A variable of the process that executes the run. */
  record FromEnv(String place) implements SecretSource {
    @Override
    public String kind() {
      return "env";
    }
  }
}
