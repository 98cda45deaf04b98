/**
 * Runs command lines one after another in one process, in a terminal that gets another width in between, which costs a
 * third of a process for each. Arguments: widths, separated by commas; a command line to begin with; the command lines
 * to run at each width.
 */

import { entries } from "../../commands/_index.ts";
import { complete } from "../../commands/_kit/completion.ts";
import { lazyNodes, main } from "../../commands/_kit/main.ts";
import { openSession } from "../../commands/_kit/session.ts";
import { realEnvironment } from "../../terminal/environment.ts";

/** Waits until the terminal has a width. */
async function hasWidth(columns: number): Promise<void> {
  while (Deno.consoleSize().columns !== columns) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function runLine(line: string): Promise<void> {
  say(`$ osctl ${line}`);
  const status = await main(line.split(" "), {
    entries,
    environment: realEnvironment(),
    open: (request) => lazyNodes(() => openSession(request)),
    readFile: (path) => Deno.readTextFile(path),
    complete,
    signal: new AbortController().signal,
    claimSignals() {},
    listen() {},
  });
  say(`status ${status}`);
}

const [widths = "", first = "", ...lines] = Deno.args;
await runLine(first);
for (const columns of widths.split(",").map(Number)) {
  await hasWidth(columns);
  say(`$ ${columns} columns`);
  for (const line of lines) await runLine(line);
  say(`$ ${columns} columns are done`);
}
