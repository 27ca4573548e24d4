package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.sun.net.httpserver.HttpServer;

import fleet.tower.release.CommandEnvironment.Result;

@DisplayName("The Maven wrapper")
class MavenWrapperTest {
  private static final Path PROPERTIES = Path.of(".mvn/wrapper/maven-wrapper.properties");
  private static final byte[] FORGED = forgedMaven();

  @TempDir
  private Path directory = Path.of("");

  private Path project = Path.of("");

  @BeforeEach
  void copyWrapper() throws IOException {
    project = Files.createDirectories(directory.resolve("project/.mvn/wrapper")).resolve("../..").normalize();
    Files.copy(Tarball.BASE.resolve("mvnw"), project.resolve("mvnw"));
    Files.copy(Tarball.BASE.resolve(PROPERTIES), project.resolve(PROPERTIES));
  }

  /** An archive in the form of Maven's with a foreign program. */
  private static byte[] forgedMaven() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry("apache-maven-3.9.11/bin/mvn"));
      zip.write("#!/bin/sh\necho forged\ngrep SigIgn /proc/self/status\n".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return bytes.toByteArray();
  }

  /** Runs the wrapper without an installed Maven, with a mirror that serves the forged one. */
  private Result runWithForgedMirror(String script) throws IOException {
    HttpServer mirror = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    mirror.createContext("/", call -> {
      call.sendResponseHeaders(200, FORGED.length);
      try (var body = call.getResponseBody()) {
        body.write(FORGED);
      }
    });
    mirror.start();
    try {
      return new CommandEnvironment(project).with("HOME", directory.toString())
          .with("MAVEN_USER_HOME", directory.resolve("maven").toString())
          .with("MVNW_REPOURL", "http://127.0.0.1:" + mirror.getAddress().getPort()).run("sh", "-c", script);
    } finally {
      mirror.stop(0);
    }
  }

  @Test
  @DisplayName("It names the SHA-256 of the Maven that it fetches from Maven Central")
  void namesTheChecksum() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(Tarball.BASE.resolve(PROPERTIES))) {
      properties.load(in);
    }

    assertThat(properties.getProperty("distributionUrl"))
        .matches("https://repo\\.maven\\.apache\\.org/maven2/org/apache/maven/apache-maven/[0-9.]+/"
            + "apache-maven-[0-9.]+-bin\\.zip");
    assertThat(properties.getProperty("distributionSha256Sum")).matches("[0-9a-f]{64}");
  }

  @Test
  @DisplayName("It rejects a Maven that a mirror has replaced, and installs nothing")
  void refusesAForgedMaven() throws IOException {
    Result result = runWithForgedMirror("sh mvnw --version");

    assertThat(result.exit()).as(result.output()).isNotZero();
    assertThat(result.output()).contains("Failed to validate Maven distribution SHA-256");
    assertThat(directory.resolve("maven/wrapper/dists/apache-maven-3.9.11")).isEmptyDirectory();
  }

  @Test
  @DisplayName("Without the checksum the same Maven is installed, so the checksum is what rejects it")
  void theChecksumRefuses() throws IOException {
    Result result = runForgedMaven("");

    assertThat(result.output()).doesNotContain("SHA-256");
    assertThat(directory.resolve("maven/wrapper/dists/apache-maven-3.9.11")).isDirectoryRecursivelyContaining(
        file -> file.endsWith("bin/mvn"));
  }

  /** Installs the forged Maven, which prints the signals that it ignores, and runs a script after that. */
  private Result runForgedMaven(String script) throws IOException {
    assumeTrue(new CommandEnvironment(directory).run("sh", "-c", "command -v unzip").exit() == 0, "needs unzip");
    Path properties = project.resolve(PROPERTIES);
    Files.writeString(properties, Files.readString(properties).replaceAll("(?m)^distributionSha256Sum=.*\n?", ""));
    return runWithForgedMirror("sh mvnw --version; chmod +x ../maven/wrapper/dists/*/*/bin/mvn; " + script);
  }

  @Test
  @DisplayName("Signals that the starter ignores, as nohup and background jobs do, are not ignored by the build")
  void resetsSignals() throws IOException {
    Result result = runForgedMaven("trap '' INT HUP QUIT; grep SigIgn /proc/self/status; sh mvnw test");

    assertThat(result.output().lines().filter(it -> it.startsWith("SigIgn:")).map(it -> it.charAt(it.length() - 1)))
        .as(result.output()).containsExactly('7', '0');
  }

  @Test
  @DisplayName("Where they cannot be reset, the build is refused at once, and only if they are ignored")
  void refusesIgnoredSignals() throws IOException {
    Path env = directory.resolve("bin/env");
    Files.createDirectories(env.getParent());
    Files.writeString(env, "#!/bin/sh\nexit 125\n");
    assertThat(env.toFile().setExecutable(true)).isTrue();
    String build = "PATH=" + env.getParent() + ":$PATH sh mvnw test";

    assertThat(runForgedMaven("trap '' INT; " + build)).satisfies(result -> {
      assertThat(result.exit()).isNotZero();
      assertThat(result.output()).contains("start it in the foreground of a terminal").doesNotContain("forged");
    });
    assertThat(runForgedMaven(build).output()).contains("forged");
  }
}
