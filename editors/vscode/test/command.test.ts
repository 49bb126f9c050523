import assert from "node:assert/strict";
import { test } from "node:test";
import { addressIn, pageAt, pageCommand, panelHtml, serverCommand } from "../src/command";

const SETTINGS = { command: "lineal", arguments: ["warehouse", "--dialect", "duckdb"] };
const ADDRESS = "http://127.0.0.1:5000/?token=a-b_c";

test("the server and the page are started with the same arguments", () => {
  assert.deepEqual(serverCommand(SETTINGS), ["lineal", ["lsp", "warehouse", "--dialect", "duckdb"]]);
  const [, args] = pageCommand(SETTINGS);
  assert.deepEqual(args, ["serve", "warehouse", "--dialect", "duckdb", "--no-open", "--port", "0"]);
});

test("the address is taken from what the server prints", () => {
  assert.equal(addressIn("reading …\n"), undefined);
  assert.equal(addressIn(`the page is at ${ADDRESS}\nCtrl-C ends it\n`), ADDRESS);
});

test("a hostile name stays inside of the address", () => {
  assert.equal(pageAt(ADDRESS, "", "table"), ADDRESS);
  assert.equal(pageAt(ADDRESS, "orders.amount", "column"), `${ADDRESS}#column=orders.amount`);
  const html = panelHtml(ADDRESS, 'a"><script>alert(1)</script>', "column");
  assert.ok(!html.includes("<script>"));
  assert.ok(html.includes("frame-src http://127.0.0.1:5000;"));
});
