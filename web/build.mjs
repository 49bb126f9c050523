// Builds the page: the worker first, which goes into the bundle as a text, then the bundle and its style sheet.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { readFile, writeFile } from "node:fs/promises";
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

// The licenses of what is in the bundle go with it.
const bundled = ["@dagrejs/dagre", "@dagrejs/graphlib"];
const licenses = await Promise.all(
  bundled.map(async (name) => {
    const folder = path.join(here, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const text = await readFile(path.join(folder, "LICENSE"), "utf8");
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  }),
);
await writeFile(path.join(out, "page.licenses.txt"), licenses.join(`\n${"-".repeat(80)}\n\n`));
