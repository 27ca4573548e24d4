package fleet.tower.platform.disk;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * Random numbers from the kernel. {@link SecureRandom} reads them too, but its provider lookup costs a short command 8
 * ms. It is the fallback if the device does not exist.
 */
public final class KernelRandom implements RandomGenerator {
  private static final String DEVICE = "/dev/urandom";

  @Override
  public void nextBytes(byte[] bytes) {
    // Unbuffered: a buffer would read more than is used.
    try (InputStream device = new FileInputStream(DEVICE)) {
      if (device.readNBytes(bytes, 0, bytes.length) == bytes.length) {
        return;
      }
    } catch (IOException noDevice) {
      // The fallback is below.
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
