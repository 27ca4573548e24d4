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

/** A source file as the compiler reads it. */
record SourceFile(String path, String text, CompilationUnitTree tree, DocTrees trees) {

  /** Every node of a kind, with the way to it. */
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

  /** How many lines a node stands on. */
  long lines(Tree node) {
    return lineAt(trees.getSourcePositions().getEndPosition(tree, node)) - line(node) + 1;
  }

  /** The line that a node begins on. */
  long line(Tree node) {
    return lineAt(trees.getSourcePositions().getStartPosition(tree, node));
  }

  /** What is written from the beginning of one node to the beginning of another. */
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

  /** The name of the type that a node is in, or of the file when it is in none. */
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
