package fleet.tower.cli.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Whose processes listen on this host, as the kernel tells in {@code /proc/net/tcp}. */
final class Listeners {
  private static final String LISTENING = "0A";
  private static final int HTTP = 80;

  private Listeners() {}

  /** Who listens at an address. */
  sealed interface Owner {}

  /** It is not an address of this host alone. */
  record Elsewhere() implements Owner {}

  /** Nobody whom the kernel shows. */
  record Nobody() implements Owner {}

  /** Users; more than one where several listen in a way that the kernel may choose. */
  record Users(Set<Long> uids) implements Owner {
    Users {
      uids = Set.copyOf(uids);
    }
  }

  /** A socket that waits for connections. */
  private record Listener(InetAddress address, int port, long uid) {}

  static Owner at(URI url) throws IOException {
    InetAddress address;
    try {
      address = InetAddress.getByName(url.getHost());
    } catch (UnknownHostException e) {
      return new Elsewhere();
    }
    if (!address.isLoopbackAddress() && !address.isAnyLocalAddress()) {
      return new Elsewhere();
    }
    int port = url.getPort() < 0 ? HTTP : url.getPort();
    List<Listener> there = listeners().stream().filter(it -> it.port() == port).toList();
    // The kernel gives a connection to who listens at its very address before those who listen at all of them.
    List<Listener> exact = there.stream().filter(it -> it.address().equals(address)).toList();
    List<Listener> all = there.stream().filter(it -> it.address().isAnyLocalAddress()).toList();
    Set<Long> users = (exact.isEmpty() ? all : exact).stream().map(Listener::uid).collect(Collectors.toSet());
    return users.isEmpty() ? new Nobody() : new Users(users);
  }

  private static List<Listener> listeners() throws IOException {
    List<Listener> found = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6")) {
      Path file = Path.of("/proc/net", table);
      if (Files.exists(file)) {
        Files.readAllLines(file).stream().skip(1).map(line -> line.strip().split("\\s+", -1))
            .filter(columns -> columns[3].equals(LISTENING))
            .forEach(columns -> found.add(listener(columns)));
      }
    }
    return found;
  }

  private static Listener listener(String[] columns) {
    String[] local = columns[1].split(":", -1);
    try {
      return new Listener(InetAddress.getByAddress(address(local[0])), Integer.parseInt(local[1], 16),
          Long.parseLong(columns[7]));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("the kernel shows an address of no known length: " + local[0], e);
    }
  }

  /** Words of four bytes, each as a number of this machine. */
  private static byte[] address(String hex) {
    ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    ByteBuffer bytes = ByteBuffer.allocate(words.capacity()).order(ByteOrder.nativeOrder());
    while (words.hasRemaining()) {
      bytes.putInt(words.getInt());
    }
    return bytes.array();
  }
}
