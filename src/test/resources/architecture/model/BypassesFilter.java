package fleet.tower.service.mcp.tool;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Writer;

import org.springframework.http.ResponseEntity;

class BypassesFilter {
  void write(OutputStream out, Writer writer, PrintStream print) throws IOException {
    out.write('x');
    writer.append("x");
    print.println("x");
  }

  ResponseEntity<String> answer() {
    return ResponseEntity.ok("x");
  }
}
