package fleet.tower.chart;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;

/** The chart as Helm renders it with given values. */
final class Chart {
  static final Path BASE = Path.of(System.getProperty("project.basedir", "")).toAbsolutePath();
  static final Path DIRECTORY = BASE.resolve("helm/tower-executor");
  private static final String NAMESPACE = "tower";
  private static final String KUBERNETES = "1.33.0";
  private static final String DEBUG = "Use --debug flag to render out invalid YAML";

  private Chart() {}

  /** The value sets that are shipped with the chart for trials. */
  static List<Path> valueSets() {
    try (Stream<Path> files = Files.list(DIRECTORY.resolve("ci"))) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path valueSet(String name) {
    return DIRECTORY.resolve("ci").resolve(name + "-values.yaml");
  }

  /** All manifests with these values; later values override earlier ones. */
  static Manifests render(Path... values) {
    TemplateCommand command = new Helm(DIRECTORY).template().withName("fleet").withNamespace(NAMESPACE)
        .withKubeVersion(KUBERNETES);
    for (Path file : values) {
      command.withValuesFile(file);
    }
    return new Manifests(command.call());
  }

  /**
   * The manifests that Helm applies on {@code helm test} only; rendering leaves them out, so their annotation is
   * removed.
   */
  static Manifests hooks(Path copy, Path values) {
    try {
      Path chart = copy(copy);
      Path tests = chart.resolve("templates/tests/answers.yaml");
      Files.writeString(tests, Files.readString(tests).replace("    helm.sh/hook: test\n", ""));
      String text = new Helm(chart).template().withName("fleet").withNamespace(NAMESPACE).withKubeVersion(KUBERNETES)
          .withValuesFile(values).call();
      return new Manifests(text.substring(text.indexOf("---\n# Source: tower-executor/templates/tests/")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The notes that Helm prints after the installation. */
  static String notes(Path values) {
    String output = new Helm(DIRECTORY).install().withName("fleet").withNamespace(NAMESPACE).withKubeVersion(KUBERNETES)
        .clientOnly().dryRun().withValuesFile(values).call().getOutput();
    return output.substring(output.indexOf("NOTES:\n")).stripTrailing() + "\n";
  }

  /** Helm's error for these values; empty if it renders them. */
  static Optional<String> complaint(Path... values) {
    try {
      render(values);
      return Optional.empty();
    } catch (IllegalStateException refused) {
      return Optional.of(String.valueOf(refused.getMessage()).replace(DEBUG, "").strip());
    }
  }

  /**
   * The result of Helm's strict lint, in which a warning is an error. Lint takes only the chart's values, so these are
   * written into a copy.
   */
  static LintResult lint(Path copy, Path values) {
    try {
      Path chart = copy(copy);
      Files.writeString(chart.resolve("values.yaml"), Yamls.merged(DIRECTORY.resolve("values.yaml"), values));
      return new Helm(chart).lint().strict().call();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path copy(Path directory) throws IOException {
    Path chart = directory.resolve(String.valueOf(DIRECTORY.getFileName()));
    try (Stream<Path> files = Files.walk(DIRECTORY)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = chart.resolve(DIRECTORY.relativize(file).toString());
        Files.createDirectories(target.resolveSibling(""));
        Files.copy(file, target);
      }
    }
    return chart;
  }
}
