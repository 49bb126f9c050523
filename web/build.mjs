// Builds the page: the worker first, which goes into the bundle as a text, then the bundle and its style sheet.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? path.join(here, "..", "src", "lineal", "web");

const common = { bundle: true, minify: true, target: "es2022", legalComments: "none", charset: "ascii", logLevel: "warning" };

const worker = await build({
  ...common,
  absWorkingDir: here,
  entryPoints: ["src/layout.worker.ts"],
  format: "iife",
  write: false,
});

await build({
  ...common,
  absWorkingDir: here,
  entryPoints: { page: "src/main.ts" },
  format: "iife",
  outdir: out,
  plugins: [
    {
      name: "worker-as-text",
      setup(builder) {
        builder.onResolve({ filter: /^worker:layout$/ }, () => ({ path: "layout", namespace: "worker" }));
        builder.onLoad({ filter: /.*/, namespace: "worker" }, () => ({
          contents: `export default ${JSON.stringify(worker.outputFiles[0].text)}`,
          loader: "js",
        }));
      },
    },
  ],
});
await build({ ...common, absWorkingDir: here, entryPoints: { page: "src/page.css" }, outdir: out });
