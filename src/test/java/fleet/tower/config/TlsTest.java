package fleet.tower.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@DisplayName("The service behind TLS")
class TlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();
  private final Path home;
  private final KeyStore keys;

  TlsTest(@TempDir Path home) throws Exception {
    this.home = home;
    Path store = home.resolve("store.p12");
    assertThat(new ProcessBuilder(System.getProperty("java.home") + "/bin/keytool", "-genkeypair", "-alias", "t",
        "-keyalg", "EC", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1", "-keystore", store.toString(),
        "-storepass", "changeit").redirectErrorStream(true).redirectOutput(home.resolve("keytool.log").toFile()).start()
        .waitFor()).isZero();
    keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    pem("tls.crt", "CERTIFICATE", keys.getCertificate("t").getEncoded());
    pem("tls.key", "PRIVATE KEY", keys.getKey("t", PASSWORD).getEncoded());
  }

  private void pem(String file, String kind, byte[] content) throws Exception {
    Files.writeString(home.resolve(file), "-----BEGIN " + kind + "-----\n"
        + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content) + "\n-----END "
        + kind
        + "-----\n");
  }

  private HttpClient trusting() throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("t", keys.getCertificate("t"));
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  @Test
  @DisplayName("Spring's own properties of a bundle in PEM switch it on; it says https, and tells browsers to stay there")
  void bundle() throws Exception {
    try (TestService service = new TestService(home, "--server.ssl.bundle=tower",
        "--spring.ssl.bundle.pem.tower.keystore.certificate=file:" + home.resolve("tls.crt"),
        "--spring.ssl.bundle.pem.tower.keystore.private-key=file:" + home.resolve("tls.key"));
        HttpClient client = trusting()) {
      assertThat(service.url()).startsWith("https://127.0.0.1:");
      assertThat(service.printed()).contains("tower: ready on " + service.url());
      HttpResponse<String> answer = client.send(HttpRequest.newBuilder(URI.create(service.url() + "/locks"))
          .header("Authorization", "Bearer " + service.token()).build(), HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Strict-Transport-Security")).contains("max-age=63072000");
      assertThat(answer.sslSession()).hasValueSatisfying(it -> assertThat(it.getProtocol()).isEqualTo("TLSv1.3"));

      assertThatThrownBy(() -> service.get("/locks")).hasStackTraceContaining("SSLHandshakeException");
      HttpRequest plain = HttpRequest.newBuilder(URI.create(service.url().replace("https", "http") + "/locks"))
          .header("Authorization", "Bearer " + service.token()).build();
      assertThat(service.send(plain).status()).isEqualTo(400);
    }
  }
}
