import io.openlineage.client.OpenLineage;
import io.openlineage.client.OpenLineageClientUtils;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Reads run events from standard input, one a line, and prints the column edges that it finds. */
public class ReadEvents {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            OpenLineage.RunEvent event = OpenLineageClientUtils.runEventFromJson(line);
            int edges = 0;
            for (OpenLineage.OutputDataset output : event.getOutputs()) {
                OpenLineage.ColumnLineageDatasetFacet facet = output.getFacets().getColumnLineage();
                if (facet == null || facet.getFields() == null) {
                    continue;
                }
                for (var field : facet.getFields().getAdditionalProperties().values()) {
                    edges += field.getInputFields().size();
                }
            }
            boolean engine = event.getRun().getFacets().getProcessing_engine() != null;
            System.out.println(event.getRun().getRunId() + " " + engine + " " + edges);
        }
    }
}
