package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestCertificate;

@DisplayName("The service with TLS")
class TlsTest {
  private final Path home;
  private final TestCertificate keys;

  TlsTest(@TempDir Path home) throws Exception {
    this.home = home;
    keys = issued("first");
    write(keys);
  }

  private TestCertificate issued(String name) throws Exception {
    return TestCertificate.issue(home, name, "ip:127.0.0.1");
  }

  private void write(TestCertificate issued) throws Exception {
    issued.write(home.resolve("tls.crt"), home.resolve("tls.key"));
  }

  /** A client that accepts only this certificate. */
  private static HttpClient trusting(TestCertificate certificate) throws Exception {
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(certificate.trust());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  @Test
  @DisplayName("Spring's properties of a PEM bundle enable it; the service prints https and sends HSTS")
  @ProofsProfile
  void bundle() throws Exception {
    try (TestService service = new TestService(home, "--server.ssl.bundle=tower",
        "--spring.ssl.bundle.pem.tower.keystore.certificate=file:" + home.resolve("tls.crt"),
        "--spring.ssl.bundle.pem.tower.keystore.private-key=file:" + home.resolve("tls.key"));
        HttpClient client = trusting(keys)) {
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

  /** Makes a call on a new connection, to see the present certificate. */
  private static boolean shows(TestService service, TestCertificate certificate) {
    try (HttpClient client = trusting(certificate)) {
      return client.send(HttpRequest.newBuilder(URI.create(service.url() + "/locks"))
          .header("Authorization", "Bearer " + service.token()).build(), HttpResponse.BodyHandlers.discarding())
          .statusCode() == 200;
    } catch (SSLHandshakeException another) {
      return false;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("A certificate renewed on disk is used without a restart, and the old one is no longer presented")
  void renewed() throws Exception {
    try (TestService service = new TestService(home, "--server.ssl.bundle=tower",
        "--spring.ssl.bundle.pem.tower.reload-on-update=true", "--spring.ssl.bundle.watch.file.quiet-period=100ms",
        "--spring.ssl.bundle.pem.tower.keystore.certificate=file:" + home.resolve("tls.crt"),
        "--spring.ssl.bundle.pem.tower.keystore.private-key=file:" + home.resolve("tls.key"))) {
      TestCertificate second = issued("second");
      assertThat(shows(service, keys)).isTrue();
      assertThat(shows(service, second)).isFalse();

      write(second);

      Await.until("the new certificate is shown", () -> shows(service, second));
      assertThat(shows(service, keys)).isFalse();
      assertThat(service.printed()).filteredOn(line -> line.startsWith("tower: ready")).hasSize(1);
    }
  }
}
