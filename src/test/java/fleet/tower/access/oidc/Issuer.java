package fleet.tower.access.oidc;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpServer;

/** An issuer of tokens in this process, with a real key; it signs with the JDK only. */
public final class Issuer implements AutoCloseable {
  /** The keys by their ids, which all issuers of this JVM share, because a new key takes much processor time. */
  private static final Map<String, KeyPair> KEYS = new ConcurrentHashMap<>();

  private final HttpServer server;
  private final AtomicInteger keyFetches = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile String kid = "k1";
  private volatile CountDownLatch answering = new CountDownLatch(0);

  public Issuer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    serve("/.well-known/openid-configuration", () -> "{\"issuer\":\"" + url() + "\",\"jwks_uri\":\"" + url()
        + "/jwks\",\"subject_types_supported\":[\"public\"]}");
    serve("/jwks", () -> {
      keyFetches.incrementAndGet();
      awaitUninterruptibly(answering);
      RSAPublicKey key = (RSAPublicKey) keys().getPublic();
      return "{\"keys\":[{\"kty\":\"RSA\",\"use\":\"sig\",\"alg\":\"RS256\",\"kid\":\"" + kid + "\",\"n\":\""
          + unsigned(key.getModulus()) + "\",\"e\":\"" + unsigned(key.getPublicExponent()) + "\"}]}";
    });
    server.start();
  }

  static KeyPair newKeys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  KeyPair keys() {
    return KEYS.computeIfAbsent(kid, _ -> newKeys());
  }

  /** How often its keys were fetched. */
  int keyFetches() {
    return keyFetches.get();
  }

  /** Has a new key instead of the old one, by another id. */
  void rotate(String newKid) {
    kid = newKid;
  }

  /** Keeps back its keys until the latch is open. */
  void answerWhen(CountDownLatch open) {
    answering = open;
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(String path, Supplier<String> json) {
    server.createContext(path, exchange -> {
      byte[] body = json.get().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
  }

  /** A token with these claims, signed by a key. */
  static String sign(String header, String claims, KeyPair keys) {
    String signed = base64(header.getBytes(StandardCharsets.UTF_8)) + "."
        + base64(claims.getBytes(StandardCharsets.UTF_8));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(keys.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signed + "." + base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** A token as this issuer signs it. */
  public String sign(String claims) {
    return sign("{\"alg\":\"RS256\",\"kid\":\"" + kid + "\",\"typ\":\"JWT\"}", claims, keys());
  }

  static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String unsigned(BigInteger number) {
    byte[] bytes = number.toByteArray();
    return base64(bytes[0] == 0 ? java.util.Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
