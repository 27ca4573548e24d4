package fleet.tower.planted;

import java.io.FileOutputStream;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Opens files for writing in each way that follows links. */
class WritesFiles {
  void write(Path file, InputStream in) throws IOException {
    FileChannel.open(file, StandardOpenOption.APPEND).close();
    Files.write(file, new byte[0]);
    Files.writeString(file, "");
    Files.newOutputStream(file).close();
    Files.newBufferedWriter(file).close();
    Files.copy(in, file);
    new FileOutputStream(file.toFile()).close();
    new FileWriter(file.toFile()).close();
    new PrintStream(file.toFile()).close();
    new RandomAccessFile(file.toFile(), "rw").close();
  }
}
