package fleet.tower.platform.disk;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * The kernel's random numbers, as {@link SecureRandom} takes them too; but what that looks up first takes a short command
 * 8 ms. Where there is no such device it is asked.
 */
public final class KernelRandom implements RandomGenerator {
  private static final String DEVICE = "/dev/urandom";

  @Override
  public void nextBytes(byte[] bytes) {
    // Nothing is buffered: what is read and not used is read for nothing.
    try (InputStream device = new FileInputStream(DEVICE)) {
      if (device.readNBytes(bytes, 0, bytes.length) == bytes.length) {
        return;
      }
    } catch (IOException noDevice) {
      // Asked below.
    }
    new SecureRandom().nextBytes(bytes);
  }

  @Override
  public long nextLong() {
    byte[] bytes = new byte[Long.BYTES];
    nextBytes(bytes);
    return ByteBuffer.wrap(bytes).getLong();
  }
}
