"""Spark's analysed plan, as JSON, with the notes that the JSON lacks.

The notes are collected inside the JVM, where walking a plan costs microseconds: a small Java class, compiled by the
compiler that Spark itself uses for its generated code.
"""

from __future__ import annotations

from typing import Any

NOTES = """
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.trees.TreeNode;

public class LinealNotes {
  private final StringBuilder casts = new StringBuilder();
  private final StringBuilder plans = new StringBuilder();

  public String of(Object plan) {
    LinealNotes notes = new LinealNotes();
    notes.plan((QueryPlan) plan);
    return "{\\"casts\\": \\"" + notes.casts + "\\", \\"plans\\": [" + notes.plans + "]}";
  }

  private void plan(QueryPlan plan) {
    if (plans.length() > 0) plans.append(",");
    plans.append(note(plan));
    scala.collection.Iterator expressions = plan.expressions().iterator();
    while (expressions.hasNext()) expression((Expression) expressions.next());
    if (plan.children().isEmpty()) {
      scala.collection.Iterator inner = ((TreeNode) plan).innerChildren().iterator();
      while (inner.hasNext()) {
        Object child = inner.next();
        if (child instanceof LogicalPlan && !isSubquery(plan, child)) plan((QueryPlan) child);
      }
    }
    scala.collection.Iterator children = plan.children().iterator();
    while (children.hasNext()) plan((QueryPlan) children.next());
  }

  private boolean isSubquery(QueryPlan plan, Object child) {
    scala.collection.Iterator subqueries = plan.subqueries().iterator();
    while (subqueries.hasNext()) if (subqueries.next() == child) return true;
    return false;
  }

  private void expression(Expression expression) {
    if (expression instanceof Cast)
      casts.append(expression.getTagValue(Cast.USER_SPECIFIED_CAST()).isDefined() ? '1' : '0');
    if (expression instanceof PlanExpression) plan((QueryPlan) ((PlanExpression) expression).plan());
    scala.collection.Iterator children = expression.children().iterator();
    while (children.hasNext()) expression((Expression) children.next());
  }

  private String note(Object plan) {
    try {
      if (plan instanceof Expand) return expand((Expand) plan);
      Object name = name(plan);
      if (name == null) return "null";
      return "{\\"name\\": " + name + columns(plan) + "}";
    } catch (Throwable problem) {
      return "null";
    }
  }

  /** Which attributes each output takes: the JSON leaves the projections out. */
  private String expand(Expand plan) {
    StringBuilder outputs = new StringBuilder();
    for (int j = 0; j < plan.output().size(); j++) {
      StringBuilder ids = new StringBuilder();
      scala.collection.Iterator rows = plan.projections().iterator();
      while (rows.hasNext()) {
        Expression item = (Expression) ((scala.collection.Seq) rows.next()).apply(j);
        scala.collection.Iterator attributes = ((scala.collection.Iterable) item.references()).iterator();
        while (attributes.hasNext()) {
          if (ids.length() > 0) ids.append(",");
          ids.append(((NamedExpression) attributes.next()).exprId().id());
        }
      }
      outputs.append(j > 0 ? "," : "").append("[").append(ids).append("]");
    }
    return "{\\"outputs\\": [" + outputs + "]}";
  }

  private Object name(Object plan) throws Throwable {
    String kind = plan.getClass().getSimpleName();
    if (kind.equals("LogicalRelation")) return relation(call(plan, "relation"));
    if (kind.equals("DataSourceV2Relation") || kind.equals("StreamingRelationV2")) {
      Object identifier = kind.equals("DataSourceV2Relation") ? call(plan, "identifier") : null;
      if (identifier instanceof scala.Some) {
        Object catalog = call(plan, "catalog");
        String prefix = catalog instanceof scala.Some ? call(((scala.Some) catalog).get(), "name") + "." : "";
        return parts(prefix + ((scala.Some) identifier).get());
      }
      return quoted(String.valueOf(call(call(plan, "table"), "name")));
    }
    if (kind.equals("InsertIntoHadoopFsRelationCommand")) return quoted(String.valueOf(call(plan, "outputPath")));
    if (kind.equals("SaveIntoDataSourceCommand")) return option(call(plan, "options"));
    if (kind.equals("InsertIntoDataSourceCommand")) return name(call(plan, "logicalRelation"));
    if (kind.equals("AppendData") || kind.startsWith("Overwrite")) return name(call(plan, "table"));
    if (kind.equals("CreateTableAsSelect") || kind.equals("ReplaceTableAsSelect")) {
      Object identifier = call(plan, "name");
      return parts(call(call(identifier, "catalog"), "name") + "." + call(identifier, "identifier"));
    }
    if (kind.equals("CreateViewCommand")) return "[]";
    if (kind.equals("CacheTableAsSelect")) return quoted(String.valueOf(call(plan, "tempViewName")));
    return null;
  }

  private Object relation(Object relation) throws Throwable {
    String kind = relation.getClass().getSimpleName();
    if (kind.equals("HadoopFsRelation")) {
      Object roots = call(call(relation, "location"), "rootPaths");
      scala.collection.Iterator paths = ((scala.collection.Iterable) roots).iterator();
      return paths.hasNext() ? quoted(String.valueOf(paths.next())) : null;
    }
    if (kind.equals("JDBCRelation")) return quoted(String.valueOf(call(call(relation, "jdbcOptions"), "tableOrQuery")));
    return quoted(kind);
  }

  private String columns(Object plan) throws Throwable {
    if (!plan.getClass().getSimpleName().equals("CreateViewCommand")) return "";
    StringBuilder names = new StringBuilder();
    scala.collection.Iterator columns = ((scala.collection.Iterable) call(plan, "userSpecifiedColumns")).iterator();
    while (columns.hasNext()) {
      if (names.length() > 0) names.append(",");
      names.append(string(String.valueOf(((scala.Tuple2) columns.next())._1())));
    }
    return ", \\"columns\\": [" + names + "]";
  }

  private Object option(Object options) throws Throwable {
    scala.collection.immutable.Map map = (scala.collection.immutable.Map) options;
    if (map.contains("path")) return quoted(String.valueOf(map.apply("path")));
    if (map.contains("dbtable")) return quoted(String.valueOf(map.apply("dbtable")));
    return null;
  }

  private static Object call(Object target, String method) throws Throwable {
    java.lang.reflect.Method found = target.getClass().getMethod(method, new Class[0]);
    found.setAccessible(true);
    return found.invoke(target, new Object[0]);
  }

  private static String parts(String dotted) {
    StringBuilder list = new StringBuilder("[");
    String[] names = dotted.replace("`", "").split("\\\\.");
    for (int i = 0; i < names.length; i++) list.append(i > 0 ? "," : "").append(string(names[i]));
    return list.append("]").toString();
  }

  private static String quoted(String name) {
    return "[" + string(name) + "]";
  }

  private static String string(String text) {
    StringBuilder quoted = new StringBuilder("\\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\\\') quoted.append('\\\\').append(c);
      else if (c < ' ') quoted.append(' ');
      else quoted.append(c);
    }
    return quoted.append('"').toString();
  }
}
"""

_ATTRIBUTE = "_lineal_notes"


def analysed(df_or_sql: Any, spark: Any) -> Any:
    """The analysed plan of a DataFrame or a statement; a statement that writes is analysed, not carried out."""
    if not isinstance(df_or_sql, str):
        return df_or_sql._jdf.queryExecution().analyzed()
    state = spark._jsparkSession.sessionState()
    parsed = state.sqlParser().parsePlan(df_or_sql)
    skip = spark._jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    return state.executePlan(parsed, skip).analyzed()


def described(plan: Any, spark: Any) -> tuple[str, str]:
    """A plan as JSON, and its notes."""
    return str(plan.toJSON()), str(notes(spark).of(plan))


def notes(spark: Any) -> Any:
    """An instance of LinealNotes, compiled once per session."""
    context = spark.sparkContext
    found = getattr(context, _ATTRIBUTE, None)
    if found is None:
        compiler = spark._jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(spark._jvm.java.lang.Thread.currentThread().getContextClassLoader())
        compiler.cook(NOTES)
        found = compiler.getClassLoader().loadClass("LinealNotes").newInstance()
        setattr(context, _ATTRIBUTE, found)
    return found
