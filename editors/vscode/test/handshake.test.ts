/** Talks to the real server, with the protocol library of VS Code. Skipped without LINEAL. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  MarkupContent,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { serverCommand } from "../src/command";

const LINEAL = process.env.LINEAL ?? "";

test("the server shakes hands, answers a hover and ends", { skip: LINEAL === "" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "lineal-"));
  const text = "CREATE TABLE mart AS SELECT sum(amount) AS total FROM orders;\n";
  writeFileSync(join(folder, "mart.sql"), text);
  const [command, args] = serverCommand({ command: LINEAL, arguments: [] });
  const started = spawn(command, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(
    new StreamMessageReader(started.stdout),
    new StreamMessageWriter(started.stdin),
  );
  connection.listen();
  const found = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).toString(),
    capabilities: {},
  });
  assert.ok(found.capabilities.renameProvider);
  assert.ok(found.capabilities.hoverProvider);
  await connection.sendNotification(InitializedNotification.type, {});
  const uri = pathToFileURL(join(folder, "mart.sql")).toString();
  await connection.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "sql", version: 1, text },
  });
  const position = { line: 0, character: text.indexOf("amount") };
  const hover = await connection.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
  assert.match((hover?.contents as MarkupContent).value, /orders\.amount/);
  const ended = new Promise((resolve) => started.on("exit", resolve));
  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  assert.equal(await ended, 0);
});
