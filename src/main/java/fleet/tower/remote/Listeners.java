package fleet.tower.remote;

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

/** The users whose processes listen on this host, from {@code /proc/net/tcp}. */
final class Listeners {
  private static final String LISTENING = "0A";
  private static final int HTTP = 80;

  private Listeners() {}

  /** The listeners of an address. */
  sealed interface Owner {}

  /** Not a loopback address. */
  record Elsewhere() implements Owner {}

  /** The kernel shows no listener. */
  record Nobody() implements Owner {}

  /** The users that listen; more than one if the kernel may choose between their sockets. */
  record Users(Set<Long> uids) implements Owner {
    Users {
      uids = Set.copyOf(uids);
    }
  }

  /** A listening socket. */
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
    // The kernel prefers a socket that listens on the exact address to one that listens on all addresses.
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
      throw new IllegalStateException("the kernel shows an address of unknown length: " + local[0], e);
    }
  }

  /** Four-byte words in the byte order of this machine. */
  private static byte[] address(String hex) {
    ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    ByteBuffer bytes = ByteBuffer.allocate(words.capacity()).order(ByteOrder.nativeOrder());
    while (words.hasRemaining()) {
      bytes.putInt(words.getInt());
    }
    return bytes.array();
  }
}
