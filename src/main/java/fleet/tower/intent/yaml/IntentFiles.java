package fleet.tower.intent.yaml;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Catalogue.Complaint;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.SourceFile;
import fleet.tower.platform.yaml.YamlSchema;

/**
 * The factory of the catalogue of a directory with one {@code NAME.yaml} per intent.
 *
 * @param othersMayWrite whether to read intents that users other than this one and root can change
 */
public record IntentFiles(Path directory, TimeSource time, boolean othersMayWrite) {
  static final String SUFFIX = ".yaml";
  static final SourceFile.Kind KIND = new SourceFile.Kind("an intent",
      "is empty; an intent begins with apiVersion: tower-fleet/intent/v1", "write each intent to its own file",
      "move long scripts into files");

  /** The home, which contains the directory; the working directory of steps. */
  Path home() {
    return Optional.ofNullable(directory.toAbsolutePath().normalize().getParent()).orElse(directory);
  }

  /** The catalogue; the directory is first read by the first query. */
  public Catalogue catalogue() {
    return new FileCatalogue(this);
  }

  /** The errors and warnings about some files, in their order, wherever they are. */
  public static List<Complaint> examine(List<Path> files) {
    YamlSchema schema = schema();
    return files.stream()
        .flatMap(
            file -> FileCatalogue.load(file, schema).complaints().stream().map(it -> FileCatalogue.converted(file, it)))
        .toList();
  }

  /** The JSON Schema of an intent. */
  static YamlSchema schema() {
    return YamlSchema.of(IntentFiles.class, "intent.schema.json");
  }
}
