package fleet.tower.intent.yaml;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import fleet.tower.intent.Intent;
import fleet.tower.intent.Template;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.yaml.SourceFile;

/**
 * The files of the home that steps execute: a program that is named by its path, or the script that is the first
 * argument of an interpreter. Data that steps read or write is not part of an intent, nor are programs of the system.
 * A file is read again only when its stamp changes.
 */
final class StepFiles {
  private static final Set<String> INTERPRETERS = Set.of("bash", "sh", "dash", "zsh", "ksh", "fish", "python",
      "python3", "perl", "ruby", "node", "php", "java");
  private static final Set<String> RUNTIME_DIRECTORIES = Set.of("state", "logs", "intents", "config");

  private final Path home;
  private final Map<Path, Content> known = new ConcurrentHashMap<>();

  /** @param home the working directory of steps */
  StepFiles(Path home) {
    this.home = home.toAbsolutePath().normalize();
  }

  /** The content of a file, as it was with a stamp. */
  private record Content(SourceFile.Stamp stamp, String digest) {}

  /** The intent with the contents of its files. */
  Intent resolve(Intent intent) {
    Map<String, String> files = new TreeMap<>();
    Stream.concat(intent.procedure().steps().stream(), intent.procedure().rollback().stream())
        .flatMap(step -> Stream.of(Optional.of(step.action()), Optional.ofNullable(step.rollback())))
        .flatMap(Optional::stream).flatMap(action -> file(action).stream())
        .forEach(file -> files.put(home.relativize(file).toString(), digest(file)));
    return intent.executing(files);
  }

  private Optional<Path> file(Intent.Step.Action action) {
    return switch (action) {
      case Intent.Step.Script _ -> Optional.empty();
      case Intent.Step.Argv(List<Template> words) ->
        executed(words).filter(word -> word.contains("/") && word.indexOf(0) < 0)
            .map(word -> home.resolve(word).normalize()).filter(this::isOfHome).filter(Files::isRegularFile);
    };
  }

  private static Optional<String> executed(List<Template> words) {
    if (words.isEmpty() || !words.getFirst().references().isEmpty()) {
      return Optional.empty();
    }
    String program = words.getFirst().resolve(_ -> "");
    Optional<String> script = words.stream().skip(1).filter(word -> !word.source().startsWith("-")).findFirst()
        .filter(word -> word.references().isEmpty()).map(word -> word.resolve(_ -> ""));
    return INTERPRETERS.contains(program.substring(program.lastIndexOf('/') + 1)) ? script : Optional.of(program);
  }

  private boolean isOfHome(Path file) {
    return file.startsWith(home) && file.getNameCount() > home.getNameCount()
        && !RUNTIME_DIRECTORIES.contains(file.getName(home.getNameCount()).toString());
  }

  private String digest(Path file) {
    try {
      SourceFile.Stamp stamp = new SourceFile(file, IntentFiles.KIND).stamp();
      Content before = known.get(file);
      if (before != null && before.stamp().equals(stamp)) {
        return before.digest();
      }
      String digest = read(file);
      known.put(file, new Content(stamp, digest));
      return digest;
    } catch (IOException e) {
      return "cannot be read: " + Errno.describe(e);
    }
  }

  private static String read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      in.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), sha256));
      return HexFormat.of().formatHex(sha256.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
