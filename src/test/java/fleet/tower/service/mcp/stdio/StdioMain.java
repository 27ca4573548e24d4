package fleet.tower.service.mcp.stdio;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.util.List;

import fleet.tower.answer.Reply;
import fleet.tower.cli.Tower;
import fleet.tower.platform.Exit;
import fleet.tower.platform.text.Console;
import fleet.tower.service.mcp.McpServer;

/** The program with {@link TestMethods} as its only feature. */
final class StdioMain {
  private StdioMain() {}

  public static void main(String[] line) {
    int code = Tower.run(line, System.getenv(), Console.ofProcess(),
        new Tower.Programs(_ -> Reply.silent(Exit.UNAVAILABLE),
            request -> {
              new StdioServer(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out),
                  (_, engine) -> McpServer.of(List.of(new TestMethods(engine)))).serve(request.home(), request.caller(),
                      request.interruptions()::on, request.warnings());
              return Reply.silent(Exit.DONE);
            }));
    if (code != 0) {
      Runtime.getRuntime().halt(code);
    }
  }
}
