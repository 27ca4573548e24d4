package fleet.tower.cli.shell;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.UsageError;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.operation.Arg;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/**
 * An operand that is any JSON, or text: written on the command line, or read from a file or standard input.
 *
 * @param name the name of its argument
 */
public record JsonOperand(String name) {
  private static final int MAX_BYTES = MessageBody.MAX_BYTES;
  private static final String STANDARD_INPUT = "-";
  private static final String TEXT = "text";

  static JsonOperand of(Arg<?> arg) {
    return new JsonOperand(arg.name());
  }

  private String file() {
    return name + "-file";
  }

  /** The options that belong to it. */
  List<Option> options() {
    return List.of(Option.value(file(), "FILE",
        "read the " + name + " from a file, without its final newline (- for standard input)"),
        Option.flag(TEXT, "treat the " + name + " as text even if it looks like JSON"));
  }

  /** Its JSON. */
  String read(@Nullable String operand, Arguments arguments) {
    String file = arguments.value(file()).orElse(null);
    if (operand != null && file != null) {
      throw new UsageError("the " + name + " is given twice, as '" + operand + "' and with --" + file());
    }
    if (operand == null && file == null) {
      throw new UsageError("the " + name + " is missing: give it as an operand, with --" + file()
          + " FILE, or - for standard input");
    }
    String text = file != null || STANDARD_INPUT.equals(operand)
        ? contents(file == null ? STANDARD_INPUT : file)
        : String.valueOf(operand);
    return arguments.has(TEXT) ? JsonWriter.quote(text) : json(text);
  }

  /** An object or array is sent as JSON; everything else is sent as text, so that it needs no JSON quotes. */
  private String json(String text) {
    String bare = text.strip();
    if (!bare.startsWith("{") && !bare.startsWith("[")) {
      return JsonWriter.quote(text);
    }
    try {
      JsonReader.readValue(bare);
    } catch (JsonException e) {
      throw new UsageError("the " + name + " starts like JSON but is invalid: " + e.getMessage()
          + "; correct it, or send it as text with --" + TEXT);
    }
    return bare;
  }

  private String contents(String file) {
    byte[] bytes = bytes(file);
    if (bytes.length > MAX_BYTES + 1) {
      throw new UsageError("the " + name + " in " + named(file) + " has more than " + MAX_BYTES
          + " bytes; send a reference to it instead");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().replaceFirst("\r?\n\\z",
          "");
    } catch (CharacterCodingException e) {
      throw new UsageError("the " + name + " in " + named(file)
          + " is not UTF-8 text; send a reference to it instead");
    }
  }

  /** Reads at most one byte more than allowed from a file, or from standard input. */
  public static byte[] bytes(String file) {
    try {
      if (file.equals(STANDARD_INPUT)) {
        return System.in.readNBytes(MAX_BYTES + 2);
      }
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        return in.readNBytes(MAX_BYTES + 2);
      }
    } catch (NoSuchFileException e) {
      throw new UsageError("there is no file " + file);
    } catch (IOException | InvalidPathException e) {
      throw new UsageError(named(file) + " cannot be read: " + e.getMessage());
    }
  }

  private static String named(String file) {
    return file.equals(STANDARD_INPUT) ? "standard input" : file;
  }
}
