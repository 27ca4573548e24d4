package fleet.tower.lease;

import java.io.FileReader;
import java.nio.file.Path;

interface LeaseReadsFiles {
  FileReader open(Path path);
}
