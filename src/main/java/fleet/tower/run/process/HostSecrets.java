package fleet.tower.run.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import fleet.tower.intent.SecretSource;
import fleet.tower.intent.SecretSource.FromEnv;
import fleet.tower.intent.SecretSource.FromFile;
import fleet.tower.platform.disk.Errno;
import fleet.tower.run.Processes.Command;

/**
 * The secrets that steps get from this machine, read again for each step.
 *
 * @param home where relative paths start
 */
record HostSecrets(Path home) {
  private static final int MAX_BYTES = 64 << 10;

  /** Thrown if a secret cannot be read; the message says why. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;

    Unreadable(String message) {
      super(message);
    }
  }

  /** The command with its secrets; {@code warnings} receives why it lacks some. */
  Command complete(Command command, Consumer<String> warnings) throws Unreadable {
    Map<String, String> values = new HashMap<>();
    for (Map.Entry<String, SecretSource> source : command.sources().entrySet()) {
      try {
        values.put(source.getKey(), value(source.getKey(), source.getValue()));
      } catch (Unreadable e) {
        if (!command.isUndoing()) {
          throw e;
        }
        warnings.accept(String.valueOf(e.getMessage()));
      }
    }
    return command.with(values);
  }

  private String value(String name, SecretSource source) throws Unreadable {
    try {
      return text(switch (source) {
        case FromFile(String path) -> file(home.resolve(path));
        case FromEnv(String variable) -> variable(variable);
      });
    } catch (Unreadable e) {
      throw new Unreadable("the secret " + name + " cannot be read from " + switch (source) {
        case FromFile(String path) -> home.resolve(path) + ": " + e.getMessage() + "; let the executor read it there";
        case FromEnv(String variable) ->
          "the variable " + variable + ": " + e.getMessage() + "; set it for the executor";
      } + ", or correct spec.secrets of the intent");
    }
  }

  /** Opening a pipe would block forever. */
  private static byte[] file(Path file) throws Unreadable {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new Unreadable("it is not a file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(MAX_BYTES + 1);
    } catch (IOException e) {
      throw new Unreadable(Errno.describe(e));
    }
  }

  private static byte[] variable(String variable) throws Unreadable {
    return NativeSpawner.entries(Path.of("/proc/self/environ")).stream()
        .filter(entry -> entry.startsWith(variable + "=")).findFirst()
        .map(entry -> entry.substring(variable.length() + 1).getBytes(StandardCharsets.ISO_8859_1))
        .orElseThrow(() -> new Unreadable("it is not set"));
  }

  /** The text without its last line break, which an editor or {@code echo} has added. */
  private static String text(byte[] bytes) throws Unreadable {
    if (bytes.length > MAX_BYTES) {
      throw new Unreadable("it is longer than " + MAX_BYTES + " bytes");
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString()
          .replaceFirst("\\r?\\n\\z", "");
      if (text.isEmpty()) {
        throw new Unreadable("it is empty");
      }
      return text;
    } catch (CharacterCodingException e) {
      throw new Unreadable("it is not valid UTF-8");
    }
  }
}
