package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NotDirectoryException;

/** Why a file cannot be used, in words; of some errors Java tells no more than the file's name. */
final class Reason {
  private Reason() {}

  static String of(IOException error) {
    return switch (error) {
      case AccessDeniedException _ -> "permission denied";
      case NotDirectoryException _,FileAlreadyExistsException _ -> "not a directory";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> error.getMessage() == null ? error.toString() : error.getMessage();
    };
  }
}
