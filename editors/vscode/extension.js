// Starts `nesl lsp` and connects the editor with it.
"use strict";

const { workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

/** Called by the editor when the first NESL file is opened. */
async function activate() {
  const command = workspace.getConfiguration("nesl").get("path", "nesl");
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  // What an open file loads need not be open.
  const fileEvents = workspace.createFileSystemWatcher("**/*.nesl");
  const options = { documentSelector: [{ language: "nesl" }], synchronize: { fileEvents } };
  client = new LanguageClient("nesl", "NESL", server, options);
  await client.start();
}

/** Called by the editor when it closes. */
function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
