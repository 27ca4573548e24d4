package fleet.tower.platform.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.Map;

/** Describes the error of a failed file operation as in the audit log: {@code EACCES: permission denied}. */
public final class Errno {
  private static final Map<String, String> NAMES = Map.ofEntries(Map.entry("operation not permitted", "EPERM"),
      Map.entry("permission denied", "EACCES"), Map.entry("input/output error", "EIO"),
      Map.entry("no space left on device", "ENOSPC"), Map.entry("disk quota exceeded", "EDQUOT"),
      Map.entry("read-only file system", "EROFS"), Map.entry("is a directory", "EISDIR"),
      Map.entry("not a directory", "ENOTDIR"), Map.entry("directory not empty", "ENOTEMPTY"),
      Map.entry("no such file or directory", "ENOENT"), Map.entry("file exists", "EEXIST"),
      Map.entry("too many open files", "EMFILE"), Map.entry("too many links", "EMLINK"),
      Map.entry("file name too long", "ENAMETOOLONG"), Map.entry("stale file handle", "ESTALE"),
      Map.entry("too many levels of symbolic links", "ELOOP"));

  private Errno() {}

  /** Whether the disk or the user's quota is full. */
  public static boolean isFull(IOException error) {
    String name = NAMES.get(text(error).toLowerCase(Locale.ROOT));
    return "ENOSPC".equals(name) || "EDQUOT".equals(name);
  }

  /** The error's symbol and text; only the text if the symbol is unknown. */
  public static String describe(IOException error) {
    String text = text(error).toLowerCase(Locale.ROOT);
    String name = NAMES.get(text);
    return name == null ? text : name + ": " + text;
  }

  /** The error's symbol and text, and its file if it is known. */
  public static String describeWithFile(IOException error) {
    return error instanceof FileSystemException e && e.getFile() != null
        ? describe(error) + " (" + e.getFile() + ")"
        : describe(error);
  }

  /** The reason in a message of a stream, which is in parentheses after the file. */
  private static String inParentheses(String message) {
    int open = message.lastIndexOf('(');
    return open >= 0 && message.endsWith(")") ? message.substring(open + 1, message.length() - 1) : message;
  }

  private static String text(IOException error) {
    return switch (error) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "no such file or directory";
      case FileAlreadyExistsException _ -> "file exists";
      case DirectoryNotEmptyException _ -> "directory not empty";
      case NotDirectoryException _ -> "not a directory";
      case FileSystemLoopException _ -> "too many levels of symbolic links";
      case IOException e when String.valueOf(e.getMessage()).contains("NOFOLLOW_LINKS") -> WrittenFile.LINK;
      case FileSystemException e when e.getReason() != null -> e.getReason();
      case FileNotFoundException e when e.getMessage() != null -> inParentheses(e.getMessage());
      default -> error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    };
  }
}
