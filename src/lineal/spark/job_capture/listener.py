"""The queries that Spark has executed: a Java class, compiled in the session, queues those that
write.

It listens to the events that Spark's QueryExecutionListener is made of, at the context rather than
at a session: so it sees every session, the streams among them, and which execution runs inside
another. The plan is written down on the listener's own queue, next to the job; Python takes it from
there when it likes.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from lineal.extract.catalyst.commands import COMMANDS
from lineal.spark.plan import compile_instance, text_of, writer

QUEUE = "lineal"

DATASET_LINEAGE = "spark.openlineage.columnLineage.datasetLineageEnabled"
"""The setting of OpenLineage's Spark agent: with false, what decides the rows is written next to
every field.
"""

LISTENER = """
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.sql.internal.SQLConf;

public class LinealCapture extends SparkListener {
  private final java.util.concurrent.LinkedBlockingQueue ended = new java.util.concurrent.LinkedBlockingQueue(20000);
  private final java.util.HashMap started = new java.util.HashMap();
  private final java.util.HashMap around = new java.util.HashMap();
  private final java.util.HashSet parents = new java.util.HashSet();
  private final java.util.HashSet worked = new java.util.HashSet();
  private LinealPlan writer;
  private String writes = "";
  private String head = "";
  private LinealPlan plan;
  private volatile int lost;

  /** A listener for the classes that write, the name of each between two line breaks. */
  public LinealCapture listening(Object writer, String writes) {
    LinealCapture made = new LinealCapture();
    made.writer = (LinealPlan) writer;
    made.writes = writes;
    return made;
  }

  /** The next execution that has ended, or null after so many milliseconds. */
  public LinealCapture poll(long wait) throws Throwable {
    return (LinealCapture) ended.poll(wait, java.util.concurrent.TimeUnit.MILLISECONDS);
  }

  /** Whoever waits has waited long enough. */
  public void wake() {
    tell("", null);
  }

  public String head() {
    return head;
  }

  public LinealPlan plan() {
    return plan;
  }

  /** How many executions found the queue full. */
  public int lost() {
    return lost;
  }

  public void onOtherEvent(SparkListenerEvent event) {
    try {
      if (event instanceof SparkListenerSQLExecutionStart) begins((SparkListenerSQLExecutionStart) event);
      else if (event instanceof SparkListenerSQLExecutionEnd) ends((SparkListenerSQLExecutionEnd) event);
    } catch (Throwable problem) {
      tell("{\\"problem\\":" + LinealPlan.string(String.valueOf(problem)) + "}", null);
    }
  }

  private void begins(SparkListenerSQLExecutionStart event) {
    Long id = Long.valueOf(event.executionId());
    Object root = event.rootExecutionId().isDefined() ? event.rootExecutionId().get() : id;
    started.put(id, new Object[] {Long.valueOf(event.time()), root});
    java.util.Iterator commands = around.entrySet().iterator();
    while (commands.hasNext()) {
      java.util.Map.Entry command = (java.util.Map.Entry) commands.next();
      if (command.getValue().equals(root)) worked.add(command.getKey());
    }
    String node = event.sparkPlanInfo().nodeName();
    if (node.contains("AsSelect") || node.contains("DirCommand")) around.put(id, root);
  }

  /** An execution that has run a job has done something. */
  public void onJobStart(SparkListenerJobStart job) {
    String execution = job.properties() == null ? null : job.properties().getProperty("spark.sql.execution.id");
    if (execution != null) worked.add(Long.valueOf(execution));
  }

  private void ends(SparkListenerSQLExecutionEnd event) throws Throwable {
    Long id = Long.valueOf(event.executionId());
    Object[] begun = (Object[]) started.remove(id);
    around.remove(id);
    Object root = begun == null ? id : begun[1];
    boolean parent = parents.remove(id);
    boolean did = worked.remove(id);
    Object analyzed = around.containsValue(root) ? null : analyzed(event.qe());
    String kind = analyzed == null ? "" : analyzed.getClass().getSimpleName();
    if (kind.equals("Union") && commands((LogicalPlan) analyzed)) {
      scala.collection.Iterator each = ((LogicalPlan) analyzed).children().iterator();
      for (int part = 0; each.hasNext(); part++) wrote(event, each.next(), part, begun, root);
      return;
    }
    boolean nothing = !did && !event.executionFailure().isDefined() && sparesWhatIsThere(analyzed);
    boolean told = !nothing && wrote(event, analyzed, 0, begun, root);
    if (!told && parent) tell("{\\"closes\\":" + id + "}", null);
  }

  /** CREATE TABLE IF NOT EXISTS t AS …, df.write.mode("ignore") */
  private static boolean sparesWhatIsThere(Object plan) {
    return plan instanceof Command && mode(plan).equals("Ignore");
  }

  /** Append, Overwrite, ErrorIfExists or Ignore; empty for a command that has no mode. */
  private static String mode(Object plan) {
    try {
      return String.valueOf(ask(plan, "mode"));
    } catch (Throwable none) {
      return "";
    }
  }

  /** FROM t INSERT INTO a … INSERT INTO b … */
  private static boolean commands(LogicalPlan union) {
    scala.collection.Iterator each = union.children().iterator();
    while (each.hasNext()) if (!(each.next() instanceof Command)) return false;
    return true;
  }

  /** Whether it writes, and was told. */
  private boolean wrote(SparkListenerSQLExecutionEnd event, Object plan, int part, Object[] begun, Object root)
      throws Throwable {
    String kind = plan == null ? "" : plan.getClass().getSimpleName();
    Object name = event.executionName().isDefined() ? event.executionName().get() : kind;
    boolean checkpoint = plan != null && !name.equals(kind) && writes.contains("\\n" + name + "\\n");
    if (checkpoint) kind = String.valueOf(name);
    boolean known = writes.contains("\\n" + kind + "\\n");
    if (plan == null || (known ? isTemporaryView(plan) : !seemsToWrite(kind, plan))) return false;
    Long id = Long.valueOf(event.executionId());
    StringBuilder head = new StringBuilder("{\\"id\\":").append(id).append(",\\"root\\":").append(root);
    head.append(",\\"part\\":").append(part).append(",\\"kind\\":").append(LinealPlan.string(kind));
    head.append(",\\"started\\":").append(begun == null ? Long.valueOf(event.time()) : begun[0]);
    head.append(",\\"ended\\":").append(event.time());
    Object session = ask(event.qe(), "sparkSession");
    head.append(",\\"session\\":").append(System.identityHashCode(session));
    head.append(",\\"dataset_lineage\\":").append(LinealPlan.string(datasetLineage(session)));
    head.append(",\\"mode\\":").append(LinealPlan.string(mode(plan)));
    boolean failed = event.executionFailure().isDefined();
    if (checkpoint && !failed) head.append(",\\"rdd\\":").append(event.qe().executedPlan().execute().id() + 1);
    if (kind.startsWith("WriteToMicroBatch")) head.append(",\\"sink\\":").append(LinealPlan.string(sink(plan, kind)));
    if (!failed && kind.equals("WriteToMicroBatchDataSource") && sink(plan, kind).equals("MemorySink"))
      head.append(",\\"rdd\\":").append(LinealPlan.memory(into(plan, kind)));
    if (kind.endsWith("SourceV1") && !failed && sink(plan, kind).startsWith("ForeachBatch"))
      head.append(",\\"rdd\\":").append(event.qe().toRdd().id());
    if (failed)
      head.append(",\\"failure\\":").append(LinealPlan.string(String.valueOf(event.executionFailure().get())));
    if (!root.equals(id)) parents.add(root);
    LinealPlan written = null;
    if (known) {
      try {
        written = writer.write(plan, "");
      } catch (Throwable problem) {
        head.append(",\\"problem\\":").append(LinealPlan.string(String.valueOf(problem)));
      }
    }
    tell(head.append("}").toString(), written);
    return true;
  }

  /** What the session says of the setting of OpenLineage's agent; empty where it says nothing. */
  private static String datasetLineage(Object session) {
    try {
      return ((SQLConf) ask(ask(session, "sessionState"), "conf")).getConfString("DATASET_LINEAGE", "");
    } catch (Throwable unknown) {
      return "";
    }
  }

  /** null for what Spark has refused: it has done nothing. */
  private static Object analyzed(QueryExecution execution) {
    try {
      return execution == null ? null : execution.analyzed();
    } catch (Throwable refused) {
      return null;
    }
  }

  private void tell(String head, LinealPlan plan) {
    LinealCapture told = new LinealCapture();
    told.head = head;
    told.plan = plan;
    if (!ended.offer(told)) lost++;
  }

  private static boolean isTemporaryView(Object plan) throws Throwable {
    String kind = plan.getClass().getSimpleName();
    if (kind.equals("AlterViewAsCommand")) return !String.valueOf(ask(plan, "name")).contains("`.`");
    return kind.equals("CreateViewCommand") && !String.valueOf(ask(plan, "viewType")).equals("PersistedView");
  }

  private static String sink(Object plan, String kind) throws Throwable {
    return into(plan, kind).getClass().getSimpleName();
  }

  /** What a stream writes to; from Spark 4.2 on it stands in a relation. */
  private static Object into(Object plan, String kind) throws Throwable {
    Object sink = ask(plan, kind.endsWith("V1") ? "sink" : "table");
    return sink instanceof DataSourceV2Relation ? ((DataSourceV2Relation) sink).table() : sink;
  }

  private static Object ask(Object plan, String method) throws Throwable {
    return plan.getClass().getMethod(method, new Class[0]).invoke(plan, new Object[0]);
  }

  private static boolean seemsToWrite(String kind, Object plan) {
    if (!(plan instanceof Command) && !kind.startsWith("WriteTo")) return false;
    return kind.matches("(?!SaveAsV1).*(Insert|Merge|Update|Delete|Write|Overwrite|Append|Save|Load|ReplaceData).*");
  }
}
""".replace("DATASET_LINEAGE", DATASET_LINEAGE)

IN_THE_SESSION = frozenset(("CacheTableAsSelect", "CreateView"))
"""Commands whose result ends with the session, or is reported again by the command that follows."""

CHECKPOINTS = frozenset(("checkpoint", "localCheckpoint"))
"""The names of executions after which a DataFrame goes on with its rows, and without its plan."""

VARIABLES = frozenset(("CreateVariable", "SetVariable"))
"""DECLARE VARIABLE v, SET VAR v = (SELECT …)

what v is from then on, for the queries of its session
"""

WRITES = "".join(
    f"\n{name}\n" for name in sorted({*COMMANDS, *CHECKPOINTS, *VARIABLES} - IN_THE_SESSION)
)


class Execution(NamedTuple):
    """A query execution that has ended, and that writes, or keeps rows for others."""

    id: int
    root: int
    """the execution inside which it ran, or its own id"""
    part: int
    """FROM t INSERT INTO a … INSERT INTO b …      two writes of one execution"""
    kind: str
    """the class of its command, or the name of a checkpoint"""
    started: int
    """in milliseconds since 1970"""
    ended: int
    session: int = 0
    """which session's it is: variables are those of a session"""
    failure: str = ""
    dataset_lineage: str = ""
    """its session's DATASET_LINEAGE; '' if it is not set"""
    mode: str = ""
    """Append, Overwrite, ErrorIfExists; '' for a command that has none"""
    sink: str = ""
    """the class of a stream's sink"""
    rdd: int = -1
    """the number of the RDD that a checkpoint keeps, that foreachBatch hands over, or of the sink
    in memory
    """
    plan: str = ""
    """as JSON; '' for a command that is not known"""
    problem: str = ""
    """why its plan could not be written down"""


class Closed(NamedTuple):
    """An execution that has ended and wrote nothing itself: those inside it have ended, too."""

    root: int


class Problem(NamedTuple):
    """An error in the listener itself."""

    text: str


class Listener:
    """The Java listener of one context."""

    def __init__(self, context: Any) -> None:
        plans = writer(context)
        self._java = compile_instance(LISTENER, "LinealCapture", context, plans).listening(
            plans, WRITES
        )
        self._bus = context._jsc.sc().listenerBus()
        self._dropped_before = 0
        self._dropped_before = self.dropped
        self._bus.addToQueue(self._java, QUEUE)

    def poll(self, milliseconds: int) -> Execution | Closed | Problem | None:
        """The next execution that has ended; None if there is none within that time."""
        told = self._java.poll(milliseconds)
        text = str(told.head()) if told is not None else ""
        if not text:
            return None

        head = json.loads(text)
        if "closes" in head:
            return Closed(head["closes"])

        if "id" not in head:
            return Problem(head["problem"])

        plan = told.plan()
        return Execution(**head, plan=text_of(plan) if plan is not None else "")

    def flush(self, milliseconds: int) -> bool:
        """Tell whether Spark has told all that has happened so far, within that time."""
        try:
            self._bus.waitUntilEmpty(milliseconds)
        except Exception:  # TimeoutException, as py4j has it
            return False

        return True

    @property
    def lost(self) -> int:
        """How many executions found our queue full."""
        return int(self._java.lost())

    @property
    def dropped(self) -> int:
        """How many events Spark has not told us, because we were too slow; among them may be
        executions that write.
        """
        counter = self._bus.metrics().metricRegistry().counter(f"queue.{QUEUE}.numDroppedEvents")
        return int(counter.getCount()) - self._dropped_before

    def wake(self) -> None:
        """Answer a polling thread at once."""
        self._java.wake()

    def detach(self) -> None:
        """Stop listening."""
        self._bus.removeListener(self._java)
