/** The command lines that the extension starts; no part of VS Code is needed here. */

export interface Settings {
  command: string;
  arguments: string[];
}

/** The language server: `lineal lsp`, with the arguments of the settings. */
export function serverCommand(settings: Settings): [string, string[]] {
  return [settings.command, ["lsp", ...settings.arguments]];
}

/** The server of the page: `lineal serve` on a free port, for the same path and options. */
export function pageCommand(settings: Settings): [string, string[]] {
  return [settings.command, ["serve", ...settings.arguments, "--no-open", "--port", "0"]];
}

/** The address that `lineal serve` prints, or undefined as long as it has printed none. */
export function addressIn(output: string): string | undefined {
  return /the page is at (http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+)/.exec(output)?.[1];
}

/** The address of the page, focused on a dataset or column: orders, or orders.amount. */
export function pageAt(address: string, name: string, kind: "table" | "column"): string {
  return name === "" ? address : `${address}#${kind}=${encodeURIComponent(name)}`;
}

/** The HTML of the panel beside the editor: the page in a frame, and nothing else. */
export function panelHtml(address: string, name: string, kind: "table" | "column"): string {
  const source = pageAt(address, name, kind).replace(/&/g, "&amp;").replace(/"/g, "&quot;");
  const origin = new URL(address).origin;
  return `<!DOCTYPE html>
<html>
<head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; frame-src ${origin}; style-src 'unsafe-inline'">
<style>html, body, iframe { margin: 0; padding: 0; border: 0; width: 100%; height: 100vh; }</style>
</head>
<body><iframe src="${source}" title="lineal"></iframe></body>
</html>`;
}
