package fleet.tower.architecture;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;

/** A source file as the compiler parses it. */
record SourceFile(String path, String text, CompilationUnitTree tree, DocTrees trees) {

  /** Every node of a kind, with its path. */
  List<TreePath> all(Class<? extends Tree> kind) {
    List<TreePath> found = new ArrayList<>();
    new TreePathScanner<@Nullable Void, @Nullable Void>() {
      @Override
      public @Nullable Void scan(@Nullable Tree node, @Nullable Void nothing) {
        if (kind.isInstance(node)) {
          found.add(new TreePath(getCurrentPath(), node));
        }
        return super.scan(node, null);
      }
    }.scan(new TreePath(tree), null);
    return found;
  }

  long lines() {
    return text.lines().count();
  }

  /** The number of lines of a node. */
  long lines(Tree node) {
    return lineAt(trees.getSourcePositions().getEndPosition(tree, node)) - line(node) + 1;
  }

  /** The first line of a node. */
  long line(Tree node) {
    return lineAt(trees.getSourcePositions().getStartPosition(tree, node));
  }

  /** The source text from the beginning of one node to the beginning of another. */
  String textBetween(Tree from, Tree to) {
    return text.substring((int) trees.getSourcePositions().getStartPosition(tree, from),
        (int) trees.getSourcePositions().getStartPosition(tree, to));
  }

  boolean isDocumented(TreePath node) {
    String comment = trees.getDocComment(node);
    return comment != null && !comment.isBlank();
  }

  boolean isPackageInfo() {
    return path.endsWith("package-info.java");
  }

  String packageName() {
    return tree.getPackageName() == null ? "" : tree.getPackageName().toString();
  }

  /** The name of the type that contains a node, or of the file if there is none. */
  String typeAround(TreePath node) {
    for (TreePath at = node; at != null; at = at.getParentPath()) {
      if (at.getLeaf() instanceof ClassTree type && !type.getSimpleName().isEmpty()) {
        return type.getSimpleName().toString();
      }
    }
    return path;
  }

  private long lineAt(long position) {
    return tree.getLineMap().getLineNumber(position);
  }
}
