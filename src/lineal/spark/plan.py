"""Spark's analyzed plan as JSON: the form of its own `toJSON`, with the parts that this leaves out
and without the unused ones.

Spark's `toJSON` does not say which casts the user wrote, what leaves and sinks are called, or what
an Expand projects, and it takes as long as the analysis itself. So the plan is written down inside
the JVM by a small Java class, compiled by the compiler that Spark uses for its generated code.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Collection
from typing import Any

WRITER = """
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Inline;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.VariableReference;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

public class LinealPlan {
  private static final java.util.regex.Pattern CALLED = java.util.regex.Pattern.compile(
      "(boolean|tinyint|smallint|int|bigint|float|double|decimal|date|timestamp|binary|string)\\\\s*\\\\(",
      java.util.regex.Pattern.CASE_INSENSITIVE);

  private static final java.util.regex.Pattern OF_PATH = java.util.regex.Pattern.compile("\\\\w+[. ]`?([^`]*/[^`]*)`?");

  private static final String TO_TABLE =
      "\\nAppendData\\nInsertOnlyMerge\\nOverwriteByExpression\\nOverwritePartitionsDynamic\\nReplaceData\\nWriteDelta\\n"
      + "DeltaDynamicPartitionOverwriteCommand\\n";

  private final StringBuilder out = new StringBuilder();
  private String views = "";

  private String packed = "";

  /** A plan, written down; the temporary views in the list, each between two line breaks, are leaves. */
  public LinealPlan write(Object plan, String views) throws Throwable {
    LinealPlan writer = new LinealPlan();
    writer.views = views;
    writer.tree((TreeNode) plan);
    writer.pack();
    return writer;
  }

  /** Small pieces: one answer larger than a packet waits 40 ms for the acknowledgement of its first part. */
  public String piece(int number) {
    int start = number * 8000;
    return start >= packed.length() ? "" : packed.substring(start, Math.min(start + 8000, packed.length()));
  }

  private void pack() throws Throwable {
    java.util.zip.Deflater deflater = new java.util.zip.Deflater(java.util.zip.Deflater.BEST_SPEED);
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    java.util.zip.DeflaterOutputStream stream = new java.util.zip.DeflaterOutputStream(bytes, deflater);
    stream.write(out.toString().getBytes("UTF-8"));
    stream.close();
    deflater.end();
    packed = java.util.Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  private void tree(TreeNode node) {
    out.append("[");
    node(node);
    out.append("]");
  }

  private void node(TreeNode node) {
    boolean leaf = node instanceof View && isLeaf((View) node);
    scala.collection.Seq children = (scala.collection.Seq) node.children();
    out.append("{\\"class\\":\\"").append(node.getClass().getName()).append("\\",\\"num-children\\":");
    out.append(leaf ? 0 : children.size());
    scala.Product product = (scala.Product) node;
    for (int i = 0; i < product.productArity(); i++) {
      String name = product.productElementName(i);
      if (name.equals("metadata") || name.equals("dataType") || name.equals("data")) continue;
      int before = out.length();
      out.append(",").append(string(name)).append(":");
      if (!value(product.productElement(i), children)) out.setLength(before);
    }
    if (node instanceof NamedExpression && ((Expression) node).resolved())
      out.append(",\\"exprId\\":{\\"id\\":").append(((NamedExpression) node).exprId().id()).append("}");
    if (node instanceof GetStructField)
      out.append(",\\"fieldName\\":").append(string(((GetStructField) node).extractFieldName()));
    if (node instanceof Literal && ((Literal) node).value() == null) out.append(",\\"value\\":null");
    if (node instanceof VariableReference)
      out.append(",\\"variable\\":").append(string(String.valueOf(((VariableReference) node).identifier())));
    if (node instanceof Inline) {
      out.append(",\\"fieldNames\\":[");
      String[] names = ((Inline) node).elementSchema().fieldNames();
      for (int i = 0; i < names.length; i++) out.append(i > 0 ? "," : "").append(string(names[i]));
      out.append("]");
    }
    if (node instanceof AttributeReference && ((AttributeReference) node).metadata().contains("__metadata_col"))
      out.append(",\\"pseudo\\":true");
    if (node instanceof LogicalRDD) out.append(",\\"rddId\\":").append(((LogicalRDD) node).rdd().id());
    if (node instanceof LogicalPlan && children.isEmpty()) fromMemory(node);
    if (node instanceof LogicalPlan && (children.isEmpty() || node instanceof View)) types((LogicalPlan) node);
    if (node instanceof Cast)
      out.append(",\\"user\\":").append(isWritten((Cast) node));
    if (leaf) {
      out.append(",\\"output\\":");
      value(((View) node).output(), children);
    }
    if (node instanceof LogicalPlan) note(node);
    out.append("}");
    if (leaf) return;
    scala.collection.Iterator below = children.iterator();
    while (below.hasNext()) {
      out.append(",");
      node((TreeNode) below.next());
    }
  }

  /** CAST(a AS DATE), and DATE(a), of which Spark remembers no more than the text. */
  private boolean isWritten(Cast cast) {
    if (cast.getTagValue(Cast.USER_SPECIFIED_CAST()).isDefined()) return true;
    scala.Option text = cast.origin().sqlText();
    scala.Option start = cast.origin().startIndex();
    if (text.isEmpty() || start.isEmpty()) return false;
    java.util.regex.Matcher called = CALLED.matcher((String) text.get());
    return called.region((Integer) start.get(), ((String) text.get()).length()).lookingAt();
  }

  /** spark.table("v"), after writeStream.format("memory").queryName("v"): the rows that a sink holds. */
  private void fromMemory(TreeNode node) {
    if (!node.getClass().getSimpleName().equals("MemoryPlan")) return;
    try {
      int number = memory(call(node, "sink"));
      out.append(",\\"rddId\\":").append(number);
    } catch (Throwable absent) {
      return;
    }
  }

  /** The types of a leaf's columns, in their order: what is read has a schema. */
  private void types(LogicalPlan leaf) {
    int before = out.length();
    try {
      out.append(",\\"types\\":[");
      boolean first = true;
      scala.collection.Iterator columns = leaf.output().iterator();
      while (columns.hasNext()) {
        out.append(first ? "" : ",").append(string(((Expression) columns.next()).dataType().sql()));
        first = false;
      }
      out.append("]");
    } catch (Throwable unresolved) {
      out.setLength(before);
    }
  }

  /** The number of a sink in memory, which is none of an RDD. */
  public static int memory(Object sink) {
    return -2 - (System.identityHashCode(sink) & 0xfffffff);
  }

  private boolean isLeaf(View view) {
    String name = view.desc().identifier().table();
    return views.contains("\\n" + name.toLowerCase(java.util.Locale.ROOT) + "\\n");
  }

  /** Writes a field's value; false if it is nothing that lineage needs. */
  private boolean value(Object value, scala.collection.Seq children) {
    if (value instanceof scala.Some) return value(((scala.Some) value).get(), children);
    if (value instanceof TreeNode) {
      int position = 0;
      scala.collection.Iterator all = children.iterator();
      while (all.hasNext()) {
        if (all.next() == value) {
          out.append(position);
          return true;
        }
        position++;
      }
      if (!(value instanceof Expression) && !(value instanceof LogicalPlan)) return false;
      tree((TreeNode) value);
      return true;
    }
    if (value instanceof scala.collection.Map) return false;
    if (value instanceof scala.collection.Iterable) {
      out.append("[");
      boolean first = true;
      scala.collection.Iterator items = ((scala.collection.Iterable) value).iterator();
      while (items.hasNext()) {
        int before = out.length();
        if (!first) out.append(",");
        if (value(items.next(), children)) first = false;
        else out.setLength(before);
      }
      out.append("]");
      return true;
    }
    if (value instanceof ExprId) {
      out.append("{\\"id\\":").append(((ExprId) value).id()).append("}");
      return true;
    }
    if (value instanceof CatalogTable) {
      out.append("{\\"identifier\\":");
      value(((CatalogTable) value).identifier(), children);
      out.append("}");
      return true;
    }
    if (value instanceof TableIdentifier) {
      TableIdentifier table = (TableIdentifier) value;
      out.append("{\\"table\\":").append(string(table.table()));
      if (table.database().isDefined()) out.append(",\\"database\\":").append(string((String) table.database().get()));
      if (table.catalog().isDefined()) out.append(",\\"catalog\\":").append(string((String) table.catalog().get()));
      out.append("}");
      return true;
    }
    if (value instanceof StructField) {
      out.append("{\\"name\\":").append(string(((StructField) value).name())).append("}");
      return true;
    }
    if (value instanceof JoinType) {
      out.append("{\\"object\\":").append(string(value.getClass().getName())).append("}");
      return true;
    }
    if (value instanceof Boolean || value instanceof Integer || value instanceof Long) {
      out.append(value);
      return true;
    }
    if (value instanceof String || value instanceof UTF8String) {
      String text = value.toString();
      if (text.length() > 1000) return false;
      out.append(string(text));
      return true;
    }
    return false;
  }

  private void note(TreeNode plan) {
    int before = out.length();
    try {
      out.append(",\\"note\\":");
      String name = name(plan);
      if (name == null) {
        out.setLength(before);
        return;
      }
      out.append("{\\"name\\":").append(name).append(columns(plan)).append(command(plan)).append(changes(plan)).append("}");
    } catch (Throwable problem) {
      out.setLength(before);
    }
  }

  private String name(Object plan) throws Throwable {
    String kind = plan.getClass().getSimpleName();
    if (kind.equals("LogicalRelation")) {
      String followed = followed(plan);
      return followed != null ? followed : relation(call(plan, "relation"));
    }
    if (kind.endsWith("V2ScanRelation")) return name(call(plan, "relation"));
    if (kind.contains("V2Relation") || kind.equals("StreamingRelationV2")) {
      Object identifier = call(plan, "identifier");
      if (identifier instanceof scala.Some) return parts(call(plan, "catalog"), ((scala.Some) identifier).get());
      return table(String.valueOf(call(call(plan, "table"), "name")));
    }
    if (kind.equals("InsertIntoHadoopFsRelationCommand")) return quoted(String.valueOf(call(plan, "outputPath")));
    if (kind.equals("SaveIntoDataSourceCommand")) return option(call(plan, "options"));
    if (kind.equals("InsertIntoDataSourceCommand")) return name(call(plan, "logicalRelation"));
    if (TO_TABLE.contains("\\n" + kind + "\\n")) return name(call(plan, "table"));
    if (kind.equals("CreateTableAsSelect") || kind.equals("ReplaceTableAsSelect")) {
      Object identifier = call(plan, "name");
      return parts(call(identifier, "catalog"), call(identifier, "identifier"));
    }
    if (kind.equals("WriteToMicroBatchDataSourceV1")) return stream(plan);
    if (kind.equals("WriteToDataSourceV2") || kind.equals("WriteToMicroBatchDataSource")) return second(plan, kind);
    if (kind.endsWith("DirCommand")) {
      Object location = call(call(plan, "storage"), "locationUri");
      return location instanceof scala.Some ? quoted(String.valueOf(((scala.Some) location).get())) : null;
    }
    if (kind.equals("ResolvedIdentifier")) return quoted(String.valueOf(call(plan, "identifier")));
    if (kind.equals("CreateViewCommand")) return "[]";
    if (kind.equals("CacheTableAsSelect")) return quoted(String.valueOf(call(plan, "tempViewName")));
    if (kind.equals("CloneTableCommand")) return delta(call(plan, "sourceTable"), "dataPath");
    if (kind.equals("RestoreTableCommand")) return delta(call(plan, "sourceTable"), "path");
    return null;
  }

  private String relation(Object relation) throws Throwable {
    String kind = relation.getClass().getSimpleName();
    if (relation instanceof HadoopFsRelation) return paths(relation);
    if (kind.equals("DeltaCDFRelation")) return quoted(String.valueOf(call(call(relation, "deltaLog"), "dataPath")));
    if (kind.equals("JDBCRelation")) return quoted(String.valueOf(call(call(relation, "jdbcOptions"), "tableOrQuery")));
    return quoted(kind);
  }

  /** The folder or pattern that a stream follows, of which a batch has the new files only. */
  private static String followed(Object plan) {
    try {
      Object stream = call(plan, "stream");
      String text = stream instanceof scala.Some ? String.valueOf(((scala.Some) stream).get()) : "";
      return text.startsWith("FileStreamSource[") ? quoted(text.substring(17, text.length() - 1)) : null;
    } catch (Throwable absent) {
      return null;
    }
  }

  /** The places that are read, the pattern that leads to them in their stead. */
  private String paths(Object relation) throws Throwable {
    scala.collection.immutable.Map options = (scala.collection.immutable.Map) call(relation, "options");
    scala.collection.Iterator roots =
        ((scala.collection.Iterable) call(call(relation, "location"), "rootPaths")).iterator();
    java.util.LinkedHashSet places = new java.util.LinkedHashSet();
    while (roots.hasNext() && places.size() < 1000) {
      String root = String.valueOf(roots.next());
      String given = options.contains("path") ? String.valueOf(options.apply("path")) : "";
      places.add(given.matches(".*[*?\\\\[{].*") ? pattern(given, root) : below(options, root));
    }
    StringBuilder list = new StringBuilder();
    java.util.Iterator each = places.iterator();
    while (each.hasNext()) list.append(list.length() > 0 ? "," : "").append(string((String) each.next()));
    return list.length() > 0 ? "[" + list + "]" : null;
  }

  /** in/2024-*.csv, below the folder that the job ran in. */
  private static String pattern(String given, String root) {
    if (given.startsWith("/") || given.contains(":/") || given.contains("{")) return given;
    String folder = root;
    for (int depth = given.split("/").length; depth > 0; depth--)
      folder = folder.substring(0, Math.max(folder.lastIndexOf('/'), 0));
    return folder + "/" + given;
  }

  /** A table that Delta has found for a command of its own: by its name, or by its place. */
  private String delta(Object table, String place) throws Throwable {
    Object known = call(table, "catalogTable");
    if (!(known instanceof scala.Some)) return quoted(String.valueOf(call(table, place)));
    TableIdentifier name = ((CatalogTable) ((scala.Some) known).get()).identifier();
    if (name.table().contains("/")) return quoted(name.table());
    StringBuilder list = new StringBuilder("[");
    if (name.catalog().isDefined()) list.append(string((String) name.catalog().get())).append(",");
    if (name.database().isDefined()) list.append(string((String) name.database().get())).append(",");
    return list.append(string(name.table())).append("]").toString();
  }

  private String columns(Object plan) throws Throwable {
    String kind = plan.getClass().getSimpleName();
    StringBuilder names = new StringBuilder();
    if (kind.equals("CloneTableCommand") || kind.equals("RestoreTableCommand")) {
      String[] all = ((StructType) call(call(plan, "sourceTable"), "schema")).fieldNames();
      for (int i = 0; i < all.length; i++) names.append(i > 0 ? "," : "").append(string(all[i]));
      return ", \\"columns\\": [" + names + "]";
    }
    if (!kind.equals("CreateViewCommand")) return "";
    scala.collection.Iterator columns = ((scala.collection.Iterable) call(plan, "userSpecifiedColumns")).iterator();
    while (columns.hasNext()) {
      if (names.length() > 0) names.append(",");
      names.append(string(String.valueOf(((scala.Tuple2) columns.next())._1())));
    }
    return ", \\"columns\\": [" + names + "]";
  }

  /** DELETE, UPDATE or MERGE, of which the plan is a rewriting. */
  private static String command(Object plan) throws Throwable {
    String kind = plan.getClass().getSimpleName();
    if (!kind.equals("ReplaceData") && !kind.equals("WriteDelta")) return "";
    return ", \\"command\\": " + string(String.valueOf(call(call(plan, "operation"), "command")));
  }

  /** table_changes('t', 1): the rows of t that came and went, beside what was done to them. */
  private static String changes(Object plan) throws Throwable {
    if (!plan.getClass().getSimpleName().equals("LogicalRelation")) return "";
    boolean feed = call(plan, "relation").getClass().getSimpleName().equals("DeltaCDFRelation");
    return feed ? ", \\"changes\\": true" : "";
  }

  private String option(Object options) throws Throwable {
    scala.collection.immutable.Map map = (scala.collection.immutable.Map) options;
    if (map.contains("path")) return quoted(String.valueOf(map.apply("path")));
    if (map.contains("dbtable")) return quoted(String.valueOf(map.apply("dbtable")));
    if (map.contains("topic")) return quoted(String.valueOf(map.apply("topic")));
    return null;
  }

  /** A stream reads the files that are new: the folder that they are in is the dataset. */
  private static String below(scala.collection.immutable.Map options, String path) {
    String key = options.contains("basePath") ? "basePath" : options.contains("basepath") ? "basepath" : null;
    if (key == null) return path;
    String base = String.valueOf(options.apply(key)).replaceAll("^[a-z0-9]+:/*", "/").replaceAll("/+$", "");
    int found = base.isEmpty() ? -1 : path.indexOf(base + "/");
    return found < 0 ? path : path.substring(0, found + base.length());
  }

  private String stream(Object plan) throws Throwable {
    String sink = String.valueOf(call(plan, "sink"));
    if (sink.startsWith("FileSink[")) return quoted(sink.substring(9, sink.length() - 1));
    String name = option(call(plan, "writeOptions"));
    return name != null ? name : quoted(call(plan, "sink").getClass().getSimpleName());
  }

  /** A sink of the second kind: a table, a topic, or what the source calls itself. */
  private String second(Object plan, String kind) throws Throwable {
    Object relation = call(plan, "relation");
    if (relation instanceof scala.Some) return name(((scala.Some) relation).get());
    if (kind.equals("WriteToDataSourceV2")) return null;
    String name = option(call(plan, "writeOptions"));
    return name != null ? name : quoted(String.valueOf(call(call(plan, "table"), "name")));
  }

  private static Object call(Object target, String method) throws Throwable {
    java.lang.reflect.Method found = target.getClass().getMethod(method, new Class[0]);
    found.setAccessible(true);
    return found.invoke(target, new Object[0]);
  }

  /** catalog.schema.table; delta.`/lake/orders` is a path. */
  private static String parts(Object catalog, Object identifier) throws Throwable {
    String table = String.valueOf(call(identifier, "name"));
    if (table.contains("/")) return quoted(table);
    Object known = catalog instanceof scala.Some ? ((scala.Some) catalog).get() : catalog;
    StringBuilder list = new StringBuilder("[");
    if (!(known instanceof scala.Option)) list.append(string(String.valueOf(call(known, "name")))).append(",");
    String[] schemas = (String[]) call(identifier, "namespace");
    for (int i = 0; i < schemas.length; i++) list.append(string(schemas[i])).append(",");
    return list.append(string(table)).append("]").toString();
  }

  /** What a table without a catalog calls itself: delta.`file:/lake/orders`, parquet file:/lake/orders. */
  private static String table(String name) {
    java.util.regex.Matcher path = OF_PATH.matcher(name);
    return quoted(path.matches() ? path.group(1) : name);
  }

  private static String quoted(String name) {
    return "[" + string(name) + "]";
  }

  public static String string(String text) {
    StringBuilder quoted = new StringBuilder("\\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\\\') quoted.append('\\\\').append(c);
      else if (c < ' ') quoted.append(String.format("\\\\u%04x", new Object[] {Integer.valueOf(c)}));
      else quoted.append(c);
    }
    return quoted.append('"').toString();
  }
}
"""


def analyze(df_or_sql: Any, spark: Any) -> Any:
    """The analyzed plan of a DataFrame or a statement; a statement that writes is analyzed, not
    executed.
    """
    if not isinstance(df_or_sql, str):
        return df_or_sql._jdf.queryExecution().analyzed()

    state = spark._jsparkSession.sessionState()
    parsed = state.sqlParser().parsePlan(df_or_sql)
    skip = spark._jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    return state.executePlan(parsed, skip).analyzed()


def describe_plan(plan: object, spark: object, views: Collection[str] = ()) -> str:
    """A plan as JSON; the named temporary views are its leaves."""
    leaves = "".join(f"\n{view}\n" for view in sorted(views))
    return text_of(writer(spark).write(plan, leaves))


def text_of(written: Any) -> str:
    """Return the text that an instance of LinealPlan has written."""
    pieces = [written.piece(0)]
    while len(pieces[-1]) == PIECE:
        pieces.append(written.piece(len(pieces)))

    return zlib.decompress(base64.b64decode("".join(pieces))).decode()


PIECE = 8000


def writer(spark: object) -> Any:
    """An instance of LinealPlan; a context does as well as a session."""
    return compile_instance(WRITER, "LinealPlan", getattr(spark, "sparkContext", spark))


def compile_instance(source: str, name: str, context: Any, around: Any = None) -> Any:
    """An instance of a Java class, compiled once in a JVM: py4j takes two classes of one name for
    the same.

    `around` is an instance of a class that the source names.
    """
    gateway = context._gateway
    known = gateway.__dict__.setdefault(_ATTRIBUTE, {})
    if name not in known:
        compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(
            gateway.jvm.java.lang.Thread.currentThread().getContextClassLoader()
            if around is None
            else around.getClass().getClassLoader()
        )
        compiler.cook(source)
        known[name] = compiler.getClassLoader().loadClass(name).newInstance()

    return known[name]


_ATTRIBUTE = "_lineal_compiled"
