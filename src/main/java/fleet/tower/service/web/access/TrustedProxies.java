package fleet.tower.service.web.access;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.util.NetMask;
import org.apache.catalina.valves.ValveBase;

import jakarta.servlet.ServletException;

/**
 * Trusts {@code X-Forwarded-For} and {@code X-Forwarded-Proto} of the configured proxies only. The caller's address is
 * the last one in the list that is not a trusted proxy; anyone could have written the entries before it.
 */
final class TrustedProxies extends ValveBase {
  private final List<NetMask> proxies;

  /** @param proxies addresses, and networks such as {@code 10.1.0.0/16} */
  TrustedProxies(List<String> proxies) {
    super(true);
    this.proxies = proxies.stream().map(TrustedProxies::mask).toList();
  }

  private static NetMask mask(String text) {
    try {
      return new NetMask(text.strip());
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException("tower.http.trusted-proxies has '" + text
          + "', which must be an address or a network such as 10.1.0.0/16", e);
    }
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (literal(request.getPeerAddr()).filter(this::isProxy).isPresent()) {
      caller(values(request, "X-Forwarded-For")).map(InetAddress::getHostAddress).ifPresent(address -> {
        request.setRemoteAddr(address);
        request.setRemoteHost(address);
      });
      List<String> schemes = values(request, "X-Forwarded-Proto");
      if (!schemes.isEmpty()) {
        request.setSecure(schemes.getLast().equalsIgnoreCase("https"));
      }
    }
    getNext().invoke(request, response);
  }

  private boolean isProxy(InetAddress address) {
    return proxies.stream().anyMatch(proxy -> proxy.matches(address));
  }

  /** Searches from the end, past trusted proxies. An entry that is not an address ends the search. */
  private Optional<InetAddress> caller(List<String> forwarded) {
    Optional<InetAddress> caller = Optional.empty();
    for (String text : forwarded.reversed()) {
      Optional<InetAddress> address = literal(text);
      if (address.isEmpty()) {
        return caller;
      }
      caller = address;
      if (!isProxy(address.get())) {
        return caller;
      }
    }
    return caller;
  }

  private static List<String> values(Request request, String header) {
    List<String> values = new ArrayList<>();
    for (String line : Collections.list(request.getHeaders(header))) {
      for (String value : line.split(",", -1)) {
        if (!value.isBlank()) {
          values.add(value.strip());
        }
      }
    }
    return values;
  }

  private static Optional<InetAddress> literal(String text) {
    try {
      return Optional.of(InetAddress.ofLiteral(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
