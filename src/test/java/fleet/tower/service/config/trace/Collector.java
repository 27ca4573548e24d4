package fleet.tower.service.config.trace;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpServer;

/** An OpenTelemetry collector for OTLP over HTTP that parses the protocol's fields by number. */
final class Collector implements AutoCloseable {
  private static final int TRACE_ID = 1;
  private static final int SPAN_ID = 2;
  private static final int PARENT = 4;
  private static final int NAME = 5;
  private static final int KIND = 6;
  private static final int START = 7;
  private static final int END = 8;
  private static final int ATTRIBUTE = 9;
  private static final int STATUS = 15;

  private final HttpServer server;
  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private final List<String> services = new CopyOnWriteArrayList<>();

  Collector() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/traces", exchange -> {
      try (exchange) {
        take(exchange.getRequestBody().readAllBytes());
        exchange.sendResponseHeaders(200, -1);
      }
    });
    server.start();
  }

  /** One received span; {@code status} is 2 for an error. */
  record Span(String traceId, String spanId, String parentId, String name, long kind, long nanos,
      Map<String, String> attributes, long status) {}

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
  }

  List<Span> spans() {
    return spans;
  }

  /** The service names of the senders. */
  List<String> services() {
    return services;
  }

  Span span(String name) {
    return spans.stream().filter(span -> span.name().equals(name)).reduce((one, other) -> {
      throw new AssertionError("twice: " + one + " and " + other);
    }).orElseThrow(() -> new AssertionError("no '" + name + "' among " + spans));
  }

  private void take(byte[] request) {
    for (Field resourceSpans : fields(request)) {
      for (Field part : fields(resourceSpans.bytes())) {
        if (part.number() == 1) {
          attributes(fields(part.bytes()), 1).forEach((key, value) -> services.add(key + "=" + value));
        } else if (part.number() == 2) {
          fields(part.bytes()).stream().filter(it -> it.number() == 2).forEach(it -> spans.add(span(it.bytes())));
        }
      }
    }
  }

  private static Span span(byte[] message) {
    List<Field> fields = fields(message);
    List<Field> status = fields(bytes(fields, STATUS));
    return new Span(HexFormat.of().formatHex(bytes(fields, TRACE_ID)), HexFormat.of().formatHex(bytes(fields, SPAN_ID)),
        HexFormat.of().formatHex(bytes(fields, PARENT)), text(fields, NAME), number(fields, KIND),
        number(fields, END) - number(fields, START), attributes(fields, ATTRIBUTE), number(status, 3));
  }

  private static Map<String, String> attributes(List<Field> fields, int number) {
    Map<String, String> attributes = new TreeMap<>();
    fields.stream().filter(field -> field.number() == number).forEach(field -> {
      List<Field> pair = fields(field.bytes());
      List<Field> value = fields(bytes(pair, 2));
      Field only = value.getFirst();
      attributes.put(text(pair, 1), only.bytes().length > 0 ? text(value, 1) : Long.toString(only.number64()));
    });
    return attributes;
  }

  /** A field of a Protocol Buffers message: bytes, or a number if it has none. */
  private record Field(int number, byte[] bytes, long number64) {}

  private static List<Field> fields(byte[] message) {
    List<Field> fields = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    while (in.hasRemaining()) {
      long key = varint(in);
      int number = (int) (key >>> 3);
      switch ((int) key & 7) {
        case 0 -> fields.add(new Field(number, new byte[0], varint(in)));
        case 1 -> fields.add(new Field(number, new byte[0], in.getLong()));
        case 2 -> {
          byte[] bytes = new byte[(int) varint(in)];
          in.get(bytes);
          fields.add(new Field(number, bytes, 0));
        }
        case 5 -> fields.add(new Field(number, new byte[0], in.getInt()));
        default -> throw new AssertionError("no wire type: " + key);
      }
    }
    return fields;
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0;; shift += 7) {
      byte next = in.get();
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  private static byte[] bytes(List<Field> fields, int number) {
    return fields.stream().filter(field -> field.number() == number).map(Field::bytes).findFirst()
        .orElseGet(() -> new byte[0]);
  }

  private static String text(List<Field> fields, int number) {
    return new String(bytes(fields, number), StandardCharsets.UTF_8);
  }

  private static long number(List<Field> fields, int number) {
    return fields.stream().filter(field -> field.number() == number).mapToLong(Field::number64).findFirst().orElse(0);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
