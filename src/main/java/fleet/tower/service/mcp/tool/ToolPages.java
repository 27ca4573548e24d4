package fleet.tower.service.mcp.tool;

import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.operation.Arg;
import fleet.tower.operation.CommonArgs;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.list.Rows;

/** The pages of tools that list something; they are small enough for a model to read. */
public final class ToolPages {
  static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 100;
  /** The maximum number of rows of a page. */
  static final Arg<Long> LIMIT = Arg.whole(CommonArgs.LIMIT.name(), 1, MAX_LIMIT, "N", CommonArgs.LIMIT.says());
  private static final int MAX_SIZE = 64 * 1024;

  private ToolPages() {}

  /** Reads the rows of a page as results of tools have them. */
  public static Rows<String> read(Page page, Consumer<Predicate<Placed<JsonWriter>>> source) {
    return Rows.collect(page, MAX_SIZE, row -> row,
        reader -> source.accept(row -> reader.test(row.as(members -> ToolMembers.of(members).end()))));
  }

  /** The end of a sentence about a page. */
  public static String end(@Nullable String next) {
    return next == null ? "." : "; for the next ones repeat the call with cursor " + next + ".";
  }
}
