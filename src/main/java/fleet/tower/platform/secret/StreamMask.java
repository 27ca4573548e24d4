package fleet.tower.platform.secret;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Masks the secrets of a run in a stream of bytes, however it is split. It holds back only a suffix that could be the
 * start of a secret. Overlapping matches are masked as one, so that no part of either remains.
 */
public final class StreamMask {
  private static final byte[] MASK = Secrets.MASK.getBytes(StandardCharsets.US_ASCII);

  private final FormFinder finder;
  private final FormFinder.Scan scan;
  /** Matches that have not been written as masks yet; positions count from the start of the stream. */
  private final Deque<Match> matches = new ArrayDeque<>();
  private byte[] held = new byte[0];
  private long heldFrom;
  /** The end of the last written mask. */
  private long maskedTo;

  StreamMask(FormFinder finder) {
    this.finder = finder;
    this.scan = finder.read();
  }

  /** Receives masked bytes; the array is reused after the call. */
  public interface Sink {
    void accept(byte[] bytes, int offset, int length);
  }

  private record Match(long from, long to) {}

  /** Masks the next bytes and emits those that are decided. */
  public void accept(byte[] bytes, int offset, int length, Sink sink) {
    if (finder.isEmpty()) {
      sink.accept(bytes, offset, length);
      return;
    }
    scan(bytes, offset, length);
    if (held.length == 0) {
      emit(bytes, offset, length, scan.open(), sink);
    } else {
      byte[] all = new byte[held.length + length];
      System.arraycopy(held, 0, all, 0, held.length);
      System.arraycopy(bytes, offset, all, held.length, length);
      emit(all, 0, all.length, scan.open(), sink);
    }
  }

  /** Emits the held-back bytes and resets the mask for another text. */
  public void finish(Sink sink) {
    emit(held, 0, held.length, 0, sink);
    scan.restart();
  }

  private void scan(byte[] bytes, int offset, int length) {
    long position = heldFrom + held.length;
    int end = offset + length;
    for (int i = offset; i < end; i++) {
      int skipped = scan.skip(bytes, i, end);
      position += skipped - i;
      i = skipped;
      if (i == end) {
        return;
      }
      position++;
      int matched = scan.next(bytes[i]);
      if (matched > 0) {
        add(position - matched, position);
      }
    }
  }

  private void add(long from, long to) {
    long begin = from;
    while (!matches.isEmpty() && matches.getLast().to() > begin) {
      begin = Math.min(begin, matches.removeLast().from());
    }
    if (begin < maskedTo) {
      maskedTo = to;
    } else {
      matches.addLast(new Match(begin, to));
    }
  }

  /** Emits all but the last {@code open} bytes, which depend on the bytes that follow. */
  private void emit(byte[] bytes, int offset, int length, int open, Sink sink) {
    long end = heldFrom + length;
    long decided = end - open;
    long shown = Math.max(heldFrom, Math.min(maskedTo, end));
    if (matches.isEmpty() && shown == heldFrom) {
      pass(bytes, offset, decided - heldFrom, sink);
      shown = Math.max(shown, decided);
    } else {
      ByteArrayOutputStream out = new ByteArrayOutputStream(length + MASK.length);
      while (!matches.isEmpty() && matches.getFirst().from() < decided) {
        Match match = matches.removeFirst();
        out.write(bytes, offset + (int) (shown - heldFrom), (int) (match.from() - shown));
        out.writeBytes(MASK);
        maskedTo = match.to();
        shown = match.to();
      }
      if (shown < decided) {
        out.write(bytes, offset + (int) (shown - heldFrom), (int) (decided - shown));
        shown = decided;
      }
      pass(out.toByteArray(), 0, out.size(), sink);
    }
    int rest = (int) (end - shown);
    byte[] kept = new byte[rest];
    System.arraycopy(bytes, offset + length - rest, kept, 0, rest);
    held = kept;
    heldFrom = shown;
  }

  private static void pass(byte[] bytes, int offset, long length, Sink sink) {
    if (length > 0) {
      sink.accept(bytes, offset, (int) length);
    }
  }
}
