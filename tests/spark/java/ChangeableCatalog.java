import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.CatalogV2Util;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DeltaBatchWrite;
import org.apache.spark.sql.connector.write.DeltaWrite;
import org.apache.spark.sql.connector.write.DeltaWriteBuilder;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.DeltaWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.SupportsDelta;
import org.apache.spark.sql.connector.write.SupportsDynamicOverwrite;
import org.apache.spark.sql.connector.write.SupportsOverwriteV2;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Tables that take what they are given, keep nothing of it, and can change single rows: in groups, or one by one. */
public class ChangeableCatalog implements TableCatalog {
  private final Map<Identifier, Table> tables = new HashMap<>();
  private String name;

  @Override public void initialize(String name, CaseInsensitiveStringMap options) { this.name = name; }
  @Override public String name() { return name; }
  @Override public Identifier[] listTables(String[] namespace) { return tables.keySet().toArray(new Identifier[0]); }
  @Override public boolean dropTable(Identifier identifier) { return tables.remove(identifier) != null; }
  @Override public void renameTable(Identifier from, Identifier to) { tables.put(to, tables.remove(from)); }

  @Override public Table loadTable(Identifier identifier) throws NoSuchTableException {
    Table found = tables.get(identifier);
    if (found == null) throw new NoSuchTableException(identifier);
    return found;
  }

  @Override
  public Table createTable(Identifier identifier, Column[] columns, Transform[] parts, Map<String, String> properties) {
    Table made = new Sieve(identifier.toString(), columns, properties.getOrDefault("changes", "groups"));
    tables.put(identifier, made);
    return made;
  }

  @Override public Table alterTable(Identifier identifier, TableChange... changes) { return tables.get(identifier); }

  static class Sieve implements SupportsRead, SupportsWrite, SupportsRowLevelOperations, SupportsMetadataColumns {
    private final String name;
    private final Column[] columns;
    private final String changes;

    Sieve(String name, Column[] columns, String changes) {
      this.name = name;
      this.columns = columns;
      this.changes = changes;
    }

    @Override public String name() { return name; }
    @Override public Column[] columns() { return columns; }
    @Override public MetadataColumn[] metadataColumns() { return new MetadataColumn[] {new Position()}; }

    @Override public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE,
          TableCapability.OVERWRITE_BY_FILTER, TableCapability.OVERWRITE_DYNAMIC);
    }

    @Override public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) { return new Narrowed(columns); }
    @Override public WriteBuilder newWriteBuilder(LogicalWriteInfo info) { return new Builder(); }

    @Override public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
      if (changes.equals("groups")) return () -> new Groups(this, info.command());
      return () -> new Single(this, info.command(), changes.equals("split"));
    }
  }

  static class Position implements MetadataColumn {
    @Override public String name() { return "_position"; }
    @Override public DataType dataType() { return DataTypes.LongType; }
    @Override public boolean isNullable() { return false; }
  }

  static class Groups implements RowLevelOperation {
    final Sieve table;
    final Command command;

    Groups(Sieve table, Command command) {
      this.table = table;
      this.command = command;
    }

    @Override public Command command() { return command; }
    @Override public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) { return table.newScanBuilder(options); }
    @Override public WriteBuilder newWriteBuilder(LogicalWriteInfo info) { return new Builder(); }
  }

  static class Single extends Groups implements SupportsDelta {
    private final boolean split;

    Single(Sieve table, Command command, boolean split) {
      super(table, command);
      this.split = split;
    }

    @Override public NamedReference[] rowId() { return new NamedReference[] {Expressions.column("_position")}; }
    @Override public boolean representUpdateAsDeleteAndInsert() { return split; }
    @Override public DeltaWriteBuilder newWriteBuilder(LogicalWriteInfo info) { return new DeltaBuilder(); }
  }

  static class Narrowed implements SupportsPushDownRequiredColumns {
    private StructType schema;

    Narrowed(Column[] columns) { schema = CatalogV2Util.v2ColumnsToStructType(columns); }

    @Override public void pruneColumns(StructType required) { schema = required; }
    @Override public Scan build() { return new Nothing(schema); }
  }

  record Nothing(StructType readSchema) implements Scan, Batch {
    @Override public Batch toBatch() { return this; }
    @Override public InputPartition[] planInputPartitions() { return new InputPartition[0]; }
    @Override public PartitionReaderFactory createReaderFactory() { return partition -> null; }
  }

  static class Builder implements SupportsTruncate, SupportsOverwriteV2, SupportsDynamicOverwrite {
    @Override public WriteBuilder truncate() { return this; }
    @Override public WriteBuilder overwrite(Predicate[] predicates) { return this; }
    @Override public WriteBuilder overwriteDynamicPartitions() { return this; }
    @Override public Write build() { return new Write() {
      @Override public BatchWrite toBatch() { return new Batches(); }
    }; }
  }

  static class DeltaBuilder implements DeltaWriteBuilder {
    @Override public DeltaWrite build() { return new DeltaWrite() {
      @Override public DeltaBatchWrite toBatch() { return new Batches(); }
    }; }
  }

  static class Batches implements DeltaBatchWrite {
    @Override public DeltaWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) { return new Writers(); }
    @Override public void commit(WriterCommitMessage[] messages) { }
    @Override public void abort(WriterCommitMessage[] messages) { }
  }

  static class Writers implements DeltaWriterFactory {
    @Override public DeltaWriter<InternalRow> createWriter(int partition, long task) { return new Writer(); }
  }

  static class Writer implements DeltaWriter<InternalRow> {
    @Override public void delete(InternalRow metadata, InternalRow id) { }
    @Override public void update(InternalRow metadata, InternalRow id, InternalRow row) { }
    @Override public void insert(InternalRow row) { }
    @Override public WriterCommitMessage commit() { return null; }
    @Override public void abort() { }
    @Override public void close() { }
  }
}
