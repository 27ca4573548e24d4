package fleet.tower.cli.mailbox;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Option;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.Receipt;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;

/** Options that the mailbox commands share. */
final class MailboxOptions {
  static final String MAILBOX = "MAILBOX";
  static final Option RECEIPT = value("receipt-handle", "RECEIPT",
      "the message's receipt, if not given as an operand");
  static final Option BODY_FILE = value("body-file", "FILE",
      "read the body from a file, without its final newline (- for standard input)");
  static final Option TEXT = flag("text", "treat the body as text even if it looks like JSON");
  private static final String STANDARD_INPUT = "-";

  private MailboxOptions() {}

  static MailboxName mailbox(Arguments arguments) {
    return new MailboxName(arguments.operand(0));
  }

  /** The receipt from the option, else from the first operand after the mailbox. */
  static Receipt receipt(Arguments arguments) {
    return Receipt.of(arguments.value(RECEIPT.name()).or(() -> arguments.optionalOperand(1)).orElseThrow(
        () -> new UsageError("RECEIPT is missing; the message has it as receipt_handle")));
  }

  /** The receipt of a command that takes nothing else; giving it as option and operand is an error. */
  static Receipt onlyReceipt(Arguments arguments) {
    if (arguments.has(RECEIPT.name()) && arguments.optionalOperand(1).isPresent()) {
      throw new UsageError("the receipt is given twice, as an operand and with --" + RECEIPT.name());
    }
    return receipt(arguments);
  }

  /** The body of a message: an operand, or a file. */
  static MessageBody body(Arguments arguments, int place) {
    Optional<String> operand = arguments.optionalOperand(place);
    Optional<String> file = arguments.value(BODY_FILE.name());
    if (operand.isPresent() == file.isPresent()) {
      throw new UsageError(operand.isPresent()
          ? "there are two bodies, '" + operand.get() + "' and --" + BODY_FILE.name()
          : "BODY is missing: give it as an operand, with --" + BODY_FILE.name() + " FILE, or - for standard input");
    }
    String text = file.map(MailboxOptions::read).orElseGet(() -> operand.filter(STANDARD_INPUT::equals)
        .map(MailboxOptions::read).orElseGet(operand::orElseThrow));
    return arguments.has(TEXT.name()) ? MessageBody.text(text) : body(text);
  }

  /** An object or array is sent as JSON; everything else is sent as text, so that it needs no JSON quotes. */
  private static MessageBody body(String text) {
    String bare = text.strip();
    if (!bare.startsWith("{") && !bare.startsWith("[")) {
      return MessageBody.text(text);
    }
    try {
      JsonReader.readValue(bare);
    } catch (JsonException e) {
      throw new UsageError("the body starts like JSON but is invalid: " + e.getMessage()
          + "; correct it, or send it as text with --" + TEXT.name());
    }
    return new MessageBody(bare);
  }

  private static String read(String file) {
    byte[] bytes = bytes(file);
    if (bytes.length > MessageBody.MAX_BYTES + 1) {
      throw new UsageError("the body in " + named(file) + " has more than " + MessageBody.MAX_BYTES
          + " bytes; send a reference to it instead");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().replaceFirst("\r?\n\\z",
          "");
    } catch (CharacterCodingException e) {
      throw new UsageError("the body in " + named(file) + " is not UTF-8 text; send a reference to it instead");
    }
  }

  /** Reads at most one byte more than allowed. */
  private static byte[] bytes(String file) {
    try {
      if (file.equals(STANDARD_INPUT)) {
        return System.in.readNBytes(MessageBody.MAX_BYTES + 2);
      }
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        return in.readNBytes(MessageBody.MAX_BYTES + 2);
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

  /** A time span in whole seconds. */
  static Visibility seconds(Arguments arguments, String option, Visibility otherwise) {
    return arguments.duration(option).map(duration -> visibility(duration, option)).orElse(otherwise);
  }

  private static Visibility visibility(Duration duration, String option) {
    if (duration.toMillisPart() != 0) {
      throw new UsageError("--" + option + " must be whole seconds, not " + duration.toMillis() + " ms");
    }
    return new Visibility(duration.toSeconds());
  }

  /** A small count. */
  static Optional<Integer> number(Arguments arguments, String option) {
    return arguments.number(option).map(number -> (int) Math.min(number, Integer.MAX_VALUE));
  }
}
