package fleet.tower.harness;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate that signs itself, with its key. */
public record TestCertificate(KeyStore keys) {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "t";

  /**
   * Issues one with a tool of the JDK.
   *
   * @param directory receives the key store and a log
   * @param subject a subject alternative name, such as {@code dns:localhost}
   */
  public static TestCertificate issue(Path directory, String name, String subject)
      throws IOException, GeneralSecurityException {
    Path store = directory.resolve(name + ".p12");
    Process tool = new ProcessBuilder(System.getProperty("java.home") + "/bin/keytool", "-genkeypair", "-alias", ALIAS,
        "-keyalg", "EC", "-dname", "CN=tower", "-ext", "san=" + subject, "-keystore", store.toString(), "-storepass",
        PASSWORD).redirectErrorStream(true).redirectOutput(directory.resolve("keytool.log").toFile()).start();
    if (Await.exitOf(tool) != 0) {
      throw new AssertionError(Files.readString(directory.resolve("keytool.log")));
    }
    KeyStore issued = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      issued.load(in, PASSWORD.toCharArray());
    }
    return new TestCertificate(issued);
  }

  /** Writes the certificate and its key as PEM. */
  public void write(Path certificate, Path key) throws IOException, GeneralSecurityException {
    pem(certificate, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    pem(key, "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
  }

  /** A key store that trusts this certificate only. */
  public KeyStore trust() throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
    return trusted;
  }

  private static void pem(Path file, String kind, byte[] content) throws IOException {
    Files.writeString(file, "-----BEGIN " + kind + "-----\n"
        + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content) + "\n-----END "
        + kind + "-----\n");
  }
}
