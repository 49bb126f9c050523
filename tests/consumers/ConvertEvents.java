import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads run events from standard input, one a line, and prints each pair of columns that DataHub's
 * converter makes of them: source, a tab, target. Its classes are called by name: the published jar
 * holds OpenLineage's client in a package of its own.
 */
public class ConvertEvents {
    private static final String OWN = "io.datahubproject.openlineage.";
    private static final String[] CLIENTS = {
        "io.acryl.shaded.io.openlineage.client.", "io.openlineage.client."
    };

    public static void main(String[] arguments) throws Exception {
        Method parse = client("OpenLineageClientUtils").getMethod("runEventFromJson", String.class);
        Class<?> settings = Class.forName(OWN + "config.DatahubOpenlineageConfig");
        Method convert =
            Class.forName(OWN + "converter.OpenLineageToDataHub")
                .getMethod("convertRunEventToJob", client("OpenLineage$RunEvent"), settings);
        Object usual = call(settings.getMethod("builder").invoke(null), "build");
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Object job = convert.invoke(null, parse.invoke(null, line), usual);
            for (Object output : (Iterable<?>) call(job, "getOutSet")) {
                printEdges(call(output, "getLineage"));
            }
        }
    }

    /** Prints the pairs of columns of an aspect upstreamLineage. */
    private static void printEdges(Object lineage) throws Exception {
        Object found = lineage == null ? null : call(lineage, "getFineGrainedLineages");
        for (Object each : found == null ? List.of() : (Iterable<?>) found) {
            for (Object source : (Iterable<?>) call(each, "getUpstreams")) {
                for (Object target : (Iterable<?>) call(each, "getDownstreams")) {
                    System.out.println(source + "\t" + target);
                }
            }
        }
    }

    /** Returns a class of OpenLineage's client, from the package that is there. */
    private static Class<?> client(String name) throws ClassNotFoundException {
        for (String prefix : CLIENTS) {
            try {
                return Class.forName(prefix + name);
            } catch (ClassNotFoundException missing) {
                continue;
            }
        }
        throw new ClassNotFoundException(name);
    }

    private static Object call(Object owner, String method) throws Exception {
        Method found = owner.getClass().getMethod(method);
        found.setAccessible(true);
        return found.invoke(owner);
    }
}
