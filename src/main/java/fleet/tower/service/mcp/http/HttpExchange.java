package fleet.tower.service.mcp.http;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.McpReply;
import fleet.tower.service.mcp.wire.Protocol;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.SentMessage;

/**
 * A request over HTTP. Its response is one JSON message, or a stream of events from the first notification on, or from
 * the first sign of life, which is a comment. A client that has disconnected cancels the exchange.
 */
final class HttpExchange implements Exchange, AutoCloseable {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final int LOOKS_PER_SIGN = 10;

  private final Request request;
  private final Caller caller;
  private final Channel channel;
  private final Scheduler scheduler;
  private final boolean mayStream;
  private final Cancellation cancellation = new Cancellation();
  /** Guards the channel and the fields below. No clock is used and no callback run under it. */
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Scheduler.Pending nextLook = () -> {};
  private @Nullable OutputStream stream;
  private int looks;
  private volatile boolean isGone;
  private volatile boolean isOver;
  private @Nullable Forbidden refusal;

  /** @param mayStream whether the client accepts a stream */
  HttpExchange(Request request, Caller caller, Channel channel, Scheduler scheduler, boolean mayStream) {
    this.request = request;
    this.caller = caller;
    this.channel = channel;
    this.scheduler = scheduler;
    this.mayStream = mayStream;
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public Caller caller() {
    return caller;
  }

  @Override
  public Cancellation cancellation() {
    return cancellation;
  }

  @Override
  public void refused(Forbidden forbidden) {
    refusal = forbidden;
  }

  /** What the caller was refused; null for nothing. */
  @Nullable
  Forbidden refusal() {
    return refusal;
  }

  /** Checks from time to time whether the client is connected, until this is closed. */
  void watch() {
    nextLook = scheduler.after(BETWEEN_LOOKS, this::look);
  }

  /** Does nothing while a message is being written, which itself shows whether the client is connected. */
  private void look() {
    boolean isLost = false;
    if (lock.tryLock()) {
      try {
        isLost = loses(this::sign);
      } finally {
        lock.unlock();
      }
    }
    cancelIf(isLost);
    if (!isOver && !isGone) {
      watch();
    }
  }

  private void sign() {
    isGone = !channel.isClientThere();
    looks++;
    if (!isGone && looks % LOOKS_PER_SIGN == 0) {
      write(SentMessage::writeSignOfLife);
    }
  }

  @Override
  public void send(String method, JsonWriter params) {
    boolean isLost;
    lock.lock();
    try {
      isLost = loses(() -> write(Protocol.notification(method, params)::writeEvent));
    } finally {
      lock.unlock();
    }
    cancelIf(isLost);
  }

  /** Uses the channel of a connected client; true if the client turns out to be gone. */
  private boolean loses(Runnable work) {
    if (isGone || isOver) {
      return false;
    }
    work.run();
    return isGone;
  }

  private void cancelIf(boolean isLost) {
    if (isLost) {
      cancellation.cancel();
    }
  }

  /** Writes to a stream. */
  @FunctionalInterface
  private interface Writing {
    void to(OutputStream stream) throws IOException;
  }

  private void write(Writing writing) {
    if (!mayStream) {
      return;
    }
    try {
      if (stream == null) {
        stream = channel.stream();
      }
      writing.to(stream);
    } catch (IOException e) {
      isGone = true;
    }
  }

  /** Whether the response is a stream, so that its status cannot be chosen any more. */
  boolean isStream() {
    lock.lock();
    try {
      return stream != null;
    } finally {
      lock.unlock();
    }
  }

  /** Sends the answer, and ends the response; tries to even if the client seems to be gone. */
  void finish(McpReply reply) throws IOException {
    lock.lock();
    try {
      if (stream == null) {
        channel.answer(reply);
      } else {
        write(reply.message()::writeEvent);
      }
      isOver = true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isOver = true;
    } finally {
      lock.unlock();
    }
    nextLook.cancel();
  }
}
