package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Tests the Dockerfile by reading it, because the tests cannot build an image. */
@DisplayName("The Dockerfile")
class ImageTest {
  private static final Pattern LIST = Pattern.compile("\\[(.*)]");
  private static final List<Step> STEPS = steps();

  private record Step(String instruction, String arguments) {
    List<String> words() {
      return List.of(arguments.split("\\s+"));
    }
  }

  private static List<Step> steps() {
    try {
      String text = Files.readString(Tarball.BASE.resolve("Dockerfile")).replaceAll("(?m)^\\s*#.*\n", "")
          .replaceAll("\\\\\n", " ");
      return text.lines().filter(line -> !line.isBlank()).map(line -> new Step(line.replaceFirst("\\s.*", ""),
          line.replaceFirst("\\S+\\s+", "").strip())).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> of(String instruction) {
    return STEPS.stream().filter(step -> step.instruction().equals(instruction)).map(Step::arguments).toList();
  }

  private static List<String> words(String list) {
    Matcher matcher = LIST.matcher(list);
    assertThat(matcher.matches()).as(list).isTrue();
    return Stream.of(matcher.group(1).split(",\\s*")).map(word -> word.replaceAll("^\"|\"$", "")).toList();
  }

  @Test
  @DisplayName("Two stages from a well-known image, named by tag and digest: one builds, one runs")
  void stages() {
    String digest = "@sha256:[0-9a-f]{64}";
    assertThat(of("FROM")).satisfiesExactly(
        build -> assertThat(build).matches("eclipse-temurin:25-jdk-noble" + digest + " AS build"),
        runs -> assertThat(runs).matches("eclipse-temurin:25-jre-noble" + digest));
    assertThat(STEPS).extracting(Step::instruction).allMatch(List.of("FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER",
        "VOLUME", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD")::contains);
  }

  @Test
  @DisplayName("The build stage installs unzip before it runs the wrapper, which otherwise fetches another archive")
  void hasUnzip() {
    List<String> commands = of("RUN");
    assertThat(commands.getFirst()).contains("apt-get install --yes --no-install-recommends unzip");
    assertThat(commands.get(1)).contains("./mvnw");
  }

  @Test
  @DisplayName("Everything that it copies is in the sources, and .dockerignore admits it")
  void copiesWhatIsThere() throws IOException {
    List<String> sources = new ArrayList<>();
    STEPS.stream().filter(step -> step.instruction().equals("COPY") && !step.arguments().startsWith("--from"))
        .forEach(step -> sources.addAll(step.words().subList(0, step.words().size() - 1)));

    assertThat(sources).isNotEmpty().allMatch(source -> Files.exists(Tarball.BASE.resolve(source)));
    assertThat(sources).allMatch(ImageTest::isLetThrough);
    assertThat(List.of(".git", "target", "logs", "state", "Dockerfile")).noneMatch(ImageTest::isLetThrough);
    assertThat(isLetThrough("src/test")).isFalse();
    // The input of the build is what the assembly descriptor and the build name.
    String build = Files.readString(Tarball.BASE.resolve("src/package/tarball.xml"))
        + Files.readString(Tarball.BASE.resolve("pom.xml"));
    Matcher read = Pattern.compile("<(?:include|directory|descriptor|file)>(?:\\$\\{project.basedir}/)?([A-Za-z.]+)")
        .matcher(build);
    List<String> inBuild = read.results().map(match -> match.group(1))
        .filter(name -> Files.exists(Tarball.BASE.resolve(name)) && !name.equals("lib")).distinct().toList();
    assertThat(inBuild).contains("bin", "config", "docs", "helm", "intents", "LICENSE", "src");
    assertThat(sources).containsAll(inBuild);
  }

  /** The last matching line decides, as in the daemon. */
  private static boolean isLetThrough(String source) {
    try {
      boolean ignored = false;
      for (String line : Files.readAllLines(Tarball.BASE.resolve(".dockerignore"))) {
        String pattern = line.replaceFirst("^!", "");
        boolean matches = !line.startsWith("#") && Stream.iterate(Path.of(source), Objects::nonNull, Path::getParent)
            .anyMatch(path -> FileSystems.getDefault().getPathMatcher("glob:" + pattern).matches(path));
        ignored = matches ? !line.startsWith("!") : ignored;
      }
      return !ignored;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("It unpacks the generated tarball, and runs its bin/tower as the chart and the systemd unit do")
  void runsTheTarball() throws IOException {
    assertThat(String.join("\n", of("RUN"))).contains("package", "tar -xzf target/tower-executor-*.tar.gz -C /release"
        + " --strip-components=1", "ln -s /opt/tower-executor/bin/tower /usr/local/bin/tower");
    assertThat(of("COPY")).contains("--from=build /release /opt/tower-executor");
    List<String> command = new ArrayList<>(words(of("ENTRYPOINT").getFirst()));
    command.addAll(words(of("CMD").getFirst()));
    assertThat(command).containsExactly("/usr/bin/tini", "-s", "--", "/opt/tower-executor/bin/tower", "serve");
    assertThat(String.join(" ", command)).endsWith(Files.readAllLines(Tarball.BASE
        .resolve("src/package/tower-executor.service")).stream().filter(line -> line.startsWith("ExecStart="))
        .findFirst().orElseThrow().substring("ExecStart=".length()));
    assertThat(of("STOPSIGNAL")).containsExactly("SIGTERM");
    assertThat(of("EXPOSE")).containsExactly("8080");
  }

  @Test
  @DisplayName("It runs as the user that the chart expects, with a home of its own")
  void isNobody() throws IOException {
    Map<String, Object> values = new Yaml()
        .load(Files.readString(Tarball.BASE.resolve("helm/tower-executor/values.yaml")));

    assertThat(of("USER")).containsExactly("10001:10001");
    assertThat(values.get("user")).isEqualTo(Map.of("uid", 10001, "gid", 10001));
    assertThat(String.join("\n", of("RUN"))).contains("groupadd --gid 10001 tower", "useradd --uid 10001 --gid 10001");
    Map<String, String> environment = Stream.of(of("ENV").getFirst().split("\\s+"))
        .collect(Collectors.toMap(word -> word.replaceFirst("=.*", ""), word -> word.replaceFirst("[^=]+=", "")));
    assertThat(environment).isEqualTo(Map.of("TOWER_HOME", "/var/lib/tower-executor", "SERVER_ADDRESS", "0.0.0.0",
        "TOWER_AOT", "off"));
    int user = STEPS.indexOf(new Step("USER", "10001:10001"));
    assertThat(STEPS.subList(user, STEPS.size())).extracting(Step::instruction).doesNotContain("RUN", "COPY");
  }
}
