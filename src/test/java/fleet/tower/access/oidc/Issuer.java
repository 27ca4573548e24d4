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

import com.sun.net.httpserver.HttpServer;

/** An issuer of tokens in this process, with a real key; its signatures are made by the JDK alone. */
final class Issuer implements AutoCloseable {
  private final HttpServer server;
  private final KeyPair keys = newKeys();

  Issuer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    serve("/.well-known/openid-configuration", "{\"issuer\":\"" + url() + "\",\"jwks_uri\":\"" + url()
        + "/jwks\",\"subject_types_supported\":[\"public\"]}");
    RSAPublicKey key = (RSAPublicKey) keys.getPublic();
    serve("/jwks", "{\"keys\":[{\"kty\":\"RSA\",\"use\":\"sig\",\"alg\":\"RS256\",\"kid\":\"k1\",\"n\":\""
        + unsigned(key.getModulus()) + "\",\"e\":\"" + unsigned(key.getPublicExponent()) + "\"}]}");
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

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  KeyPair keys() {
    return keys;
  }

  private void serve(String path, String json) {
    server.createContext(path, exchange -> {
      byte[] body = json.getBytes(StandardCharsets.UTF_8);
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
  String sign(String claims) {
    return sign("{\"alg\":\"RS256\",\"kid\":\"k1\",\"typ\":\"JWT\"}", claims, keys);
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
  }
}
