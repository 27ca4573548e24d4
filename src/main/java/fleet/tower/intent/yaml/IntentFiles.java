package fleet.tower.intent.yaml;

import java.nio.file.Path;
import java.util.List;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Catalogue.Complaint;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.Form;
import fleet.tower.platform.yaml.Schema;

/**
 * Opens intents in the files of a directory, each {@code NAME.yaml}.
 *
 * @param othersMayWrite reads them even if others than this user and root could change them
 */
public record IntentFiles(Path directory, TimeSource time, boolean othersMayWrite) {

  static final String SUFFIX = ".yaml";
  static final Form FORM = new Form("an intent", "is empty; an intent begins with apiVersion: tower-fleet/intent/v1",
      "write each intent into a file of its own", "move long scripts into files");

  /** Intents that nobody else can change. */
  public IntentFiles(Path directory, TimeSource time) {
    this(directory, time, false);
  }

  /** The directory's intents; nothing is read before somebody asks for one. */
  public Catalogue catalogue() {
    return new FileCatalogue(this);
  }

  /** What there is to say about each of these files, in their order, whether they are in the directory or not. */
  public static List<Complaint> examine(List<Path> files) {
    Schema schema = schema();
    return files.stream()
        .flatMap(file -> FileCatalogue.load(file, schema).complaints().stream().map(it -> FileCatalogue.told(file, it)))
        .toList();
  }

  /** The format of an intent. */
  static Schema schema() {
    return Schema.of(IntentFiles.class, "intent.schema.json");
  }
}
