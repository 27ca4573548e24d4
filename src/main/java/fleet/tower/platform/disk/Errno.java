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

/** Names the error of a failed call as the audit log has it: {@code EACCES: permission denied}. */
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

  /** Whether the disk is full, or the user's part of it. */
  public static boolean isFull(IOException error) {
    String name = NAMES.get(text(error).toLowerCase(Locale.ROOT));
    return "ENOSPC".equals(name) || "EDQUOT".equals(name);
  }

  /** The error's symbol and text; the text alone where the system has a symbol that we do not know. */
  public static String describe(IOException error) {
    String text = text(error).toLowerCase(Locale.ROOT);
    String name = NAMES.get(text);
    return name == null ? text : name + ": " + text;
  }

  /** The same with the file that it is about, where the error tells. */
  public static String describeWithFile(IOException error) {
    return error instanceof FileSystemException e && e.getFile() != null
        ? describe(error) + " (" + e.getFile() + ")"
        : describe(error);
  }

  /** Streams tell the file first and the reason in brackets behind it. */
  private static String inBrackets(String message) {
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
      case FileSystemException e when e.getReason() != null -> e.getReason();
      case FileNotFoundException e when e.getMessage() != null -> inBrackets(e.getMessage());
      default -> error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    };
  }
}
