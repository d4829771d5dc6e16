// Starts `nesl lsp` and connects the editor with it.
"use strict";

const { commands, Uri, window, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** The scheme of the texts of the library, which the server has. */
const LIBRARY = "nesl-lib";

let client;

/** The command of the settings. */
function nesl() {
  return workspace.getConfiguration("nesl").get("path", "nesl");
}

/** Runs a subcommand of `nesl` on a file, as it is on the disk, in a terminal. */
async function inTerminal(subcommand, uri) {
  const file = Uri.parse(uri);
  await workspace.textDocuments.find((it) => it.uri.toString() === file.toString())?.save();
  const name = `nesl ${subcommand}`;
  window.terminals.find((it) => it.name === name)?.dispose();
  // The arguments are no words of a shell, so that any name of a file will do.
  const terminal = window.createTerminal({
    name,
    shellPath: "/bin/sh",
    shellArgs: ["-c", '"$@"; echo; read -r _', "sh", nesl(), subcommand, file.fsPath],
  });
  terminal.show();
}

/** Called by the editor when the first NESL file is opened. */
async function activate(context) {
  const server = { command: nesl(), args: ["lsp"], transport: TransportKind.stdio };
  // What an open file loads need not be open.
  const fileEvents = workspace.createFileSystemWatcher("**/*.nesl");
  const documentSelector = ["file", "untitled"].map((scheme) => ({ scheme, language: "nesl" }));
  const options = { documentSelector, synchronize: { fileEvents } };
  client = new LanguageClient("nesl", "NESL", server, options);
  const library = {
    async provideTextDocumentContent(uri) {
      const params = { uri: uri.toString() };
      return (await client.sendRequest("workspace/textDocumentContent", params)).text;
    },
  };
  context.subscriptions.push(
    commands.registerCommand("nesl.cost", (uri) => inTerminal("cost", uri)),
    commands.registerCommand("nesl.run", (uri) => inTerminal("run", uri)),
    workspace.registerTextDocumentContentProvider(LIBRARY, library),
  );
  await client.start();
}

/** Called by the editor when it closes. */
function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
