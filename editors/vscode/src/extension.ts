/** Starts the language server, and opens the page beside the editor. */

import { ChildProcess, spawn } from "node:child_process";
import * as vscode from "vscode";
import { LanguageClient, ServerOptions } from "vscode-languageclient/node";
import { addressIn, pageCommand, panelHtml, serverCommand, Settings } from "./command";

let client: LanguageClient | undefined;
let server: ChildProcess | undefined;
let panel: vscode.WebviewPanel | undefined;
let address: Promise<string> | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("lineal.show", show),
    vscode.commands.registerCommand("lineal.restart", restart),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  server?.kill();
  await client?.stop();
}

function settings(): Settings {
  const found = vscode.workspace.getConfiguration("lineal");
  return { command: found.get("command", "lineal"), arguments: found.get("arguments", []) };
}

async function start(): Promise<void> {
  const [command, args] = serverCommand(settings());
  const options: ServerOptions = { command, args };
  client = new LanguageClient("lineal", "lineal", options, {
    documentSelector: [
      { scheme: "file", language: "sql" },
      { scheme: "file", language: "jinja-sql" },
      { scheme: "file", language: "yaml" },
      { scheme: "file", language: "python" },
    ],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{sql,yml,yaml,py,csv}") },
  });
  await client.start();
}

async function restart(): Promise<void> {
  await client?.stop();
  await start();
}

/** Open the page, focused on a name: that of a code lens, else the one under the cursor. */
async function show(name?: string): Promise<void> {
  const isLens = typeof name === "string";
  const found = isLens ? { name, kind: "table" as const } : await nameUnderCursor();
  address ??= startPage();
  const where = await address;
  panel ??= createPanel();
  panel.webview.html = panelHtml(where, found.name, found.kind);
  panel.reveal(vscode.ViewColumn.Beside, true);
}

interface Found {
  name: string;
  kind: "table" | "column";
}

async function nameUnderCursor(): Promise<Found> {
  const editor = vscode.window.activeTextEditor;
  if (client === undefined || editor === undefined) {
    return { name: "", kind: "table" };
  }
  const position = editor.selection.active;
  return await client.sendRequest<Found>("lineal/name", {
    textDocument: { uri: editor.document.uri.toString() },
    position: { line: position.line, character: position.character },
  });
}

function createPanel(): vscode.WebviewPanel {
  const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
  const made = vscode.window.createWebviewPanel("lineal", "Lineage", column, { enableScripts: true });
  made.onDidDispose(() => (panel = undefined));
  return made;
}

function startPage(): Promise<string> {
  const [command, args] = pageCommand(settings());
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const started = spawn(command, args, { cwd: folder });
  server = started;
  return new Promise((resolve, reject) => {
    let output = "";
    started.stderr.on("data", (data: Buffer) => {
      output += data.toString();
      const found = addressIn(output);
      if (found !== undefined) {
        resolve(found);
      }
    });
    started.on("exit", () => {
      address = undefined;
      reject(new Error(`lineal serve has ended: ${output}`));
    });
  });
}
