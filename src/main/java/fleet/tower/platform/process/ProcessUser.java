package fleet.tower.platform.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import fleet.tower.platform.StorageException;

/** The user of the operating system that this process belongs to. */
public final class ProcessUser {
  private ProcessUser() {}

  /**
   * The user's name, or number if it has none, as the kernel knows it: the environment and the options of Java could
   * name somebody else. Where there is no {@code /proc}, Java's answer.
   */
  public static String name() {
    try {
      return Files.getOwner(Path.of("/proc/self")).getName();
    } catch (NoSuchFileException noProc) {
      return System.getProperty("user.name", "unknown");
    } catch (IOException e) {
      throw new StorageException("cannot read the owner of /proc/self, which is the user of this process", e);
    }
  }
}
