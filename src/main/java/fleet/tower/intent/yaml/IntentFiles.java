package fleet.tower.intent.yaml;

import java.nio.file.Path;
import java.util.List;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Catalogue.Complaint;
import fleet.tower.time.TimeSource;

/** Opens intents in the files of a directory, each {@code NAME.yaml}. */
public record IntentFiles(Path directory, TimeSource time) {

  /** The directory's intents; nothing is read before somebody asks for one. */
  public Catalogue catalogue() {
    return new FileCatalogue(directory, time);
  }

  /** What there is to say about each of these files, in their order, whether they are in the directory or not. */
  public static List<Complaint> examine(List<Path> files) {
    Schema schema = Schema.ofIntents();
    return files.stream().flatMap(file -> FileCatalogue.load(new SourceFile(file), schema).complaints().stream())
        .toList();
  }
}
