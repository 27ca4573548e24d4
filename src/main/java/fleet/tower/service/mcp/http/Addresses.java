package fleet.tower.service.mcp.http;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The addresses under which clients may call the endpoint, and the web pages that may. A web page cannot choose the
 * header {@code Host}; so a page whose host name was made to point to this service is recognized by it.
 */
final class Addresses {
  private static final Set<String> WEB = Set.of("http", "https");

  private final @Nullable URI resource;
  private final List<String> allowedHosts;
  private final List<String> allowedOrigins;
  private final String bound;

  /**
   * @param resource the public URL of the endpoint; null if none is set
   * @param bound the address that the service listens on
   */
  Addresses(@Nullable String resource, List<String> allowedHosts, List<String> allowedOrigins, String bound) {
    this.resource = resource == null ? null : URI.create(resource);
    this.allowedHosts = allowedHosts.stream().map(Addresses::lower).toList();
    this.allowedOrigins = allowedOrigins.stream().map(Addresses::origin).toList();
    this.bound = bound;
  }

  private static String lower(String text) {
    return text.strip().toLowerCase(Locale.ROOT);
  }

  private static String origin(String text) {
    String origin = lower(text);
    URI uri = uri(origin);
    if (uri == null || uri.getScheme() == null || uri.getRawAuthority() == null
        || !origin.equals(uri.getScheme() + "://" + uri.getRawAuthority())) {
      throw new IllegalStateException("tower.mcp.allowed-origins has '" + text
          + "', which must be an origin such as https://chat.example.com");
    }
    return origin;
  }

  /**
   * Whether a client may use this host.
   *
   * @param name the host, without a port
   * @param nameAndPort the header {@code Host}
   */
  boolean isOwn(String name, String nameAndPort) {
    String host = lower(name);
    return isLoopback(host) || host.equals(bound) || host.equals(hostOf(resource)) || allowedHosts.contains(host)
        || allowedHosts.contains(lower(nameAndPort))
        || address(host).filter(it -> address(bound).filter(own -> own.isAnyLocalAddress() || own.equals(it))
            .isPresent()).isPresent();
  }

  /** Whether a web page of an origin may call the endpoint under a host. */
  boolean isAllowed(String origin, String nameAndPort) {
    String page = lower(origin);
    URI uri = uri(page);
    return allowedOrigins.contains(page) || (uri != null && uri.getHost() != null && WEB.contains(uri.getScheme())
        && (isLoopback(uri.getHost()) || lower(nameAndPort).equals(uri.getRawAuthority())
            || (resource != null && uri.getRawAuthority().equals(lower(resource.getRawAuthority())))));
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost") || address(host).filter(InetAddress::isLoopbackAddress).isPresent();
  }

  private static Optional<InetAddress> address(String host) {
    try {
      return Optional.of(InetAddress.ofLiteral(host.replaceAll("^\\[(.*)]$", "$1")));
    } catch (IllegalArgumentException name) {
      return Optional.empty();
    }
  }

  private static @Nullable String hostOf(@Nullable URI uri) {
    return uri == null || uri.getHost() == null ? null : lower(uri.getHost());
  }

  private static @Nullable URI uri(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      return null;
    }
  }

  /** The public URL of the endpoint, if one is set. */
  Optional<String> resource() {
    return Optional.ofNullable(resource).map(URI::toString);
  }

  /** The URL of the endpoint for a client that uses a host. */
  String resource(boolean isSecure, String nameAndPort) {
    return resource().orElse((isSecure ? "https://" : "http://") + nameAndPort + McpController.PATH);
  }

  /** The URL of the metadata of a resource. */
  static String metadata(String resource) {
    URI uri = URI.create(resource);
    return uri.getScheme() + "://" + uri.getRawAuthority() + MetadataController.PATH + uri.getRawPath();
  }
}
