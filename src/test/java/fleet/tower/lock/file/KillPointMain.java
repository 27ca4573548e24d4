package fleet.tower.lock.file;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import fleet.tower.lock.LockStore;

/**
 * Does one operation and dies before the n-th call, or in the middle of it; ends with 0 when it was done before that.
 */
final class KillPointMain {
  static final int DEAD = 137;

  private KillPointMain() {}

  /** Arguments: directory, operation, number of the call, whether half of it is done first. */
  static void main(String[] arguments) {
    StoreCall operation = StoreCall.valueOf(arguments[1]);
    int last = Integer.parseInt(arguments[2]);
    boolean halfDone = Boolean.parseBoolean(arguments[3]);
    FileFixture files = new FileFixture(Path.of(arguments[0]));
    files.time().advance(operation.age());
    TappedDirectory.Tap tap = call -> {
      if (call.number() == last) {
        if (halfDone) {
          half(files.directory().resolve(call.file()), call);
        }
        Runtime.getRuntime().halt(DEAD);
      }
    };
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), tap), files.time())) {
      operation.run(store);
    }
  }

  /** Writes the first half of the call's content. */
  private static void half(Path file, TappedDirectory.Call call) throws IOException {
    byte[] content = requireNonNull(call.content());
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(content, 0, content.length / 2), call.position());
    }
  }
}
