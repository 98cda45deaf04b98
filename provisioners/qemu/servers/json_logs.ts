/** Receives logs of nodes as JSON lines over TCP, and writes them to a file. */

import { type RunningServer, serveTcp } from "../../sockets.ts";

interface JsonLogsOptions {
  readonly host: string;
  readonly port: number;
  /** Receives each valid JSON line, with the address of its node. */
  readonly write: (line: string) => Promise<void>;
}

/** Maximum line length in bytes; longer lines are dropped. */
const maxLine = 1024 * 1024;

/** Starts the receiver. Throws Error if the port is in use or not permitted. */
export function serveJsonLogs(
  { host, port, write }: JsonLogsOptions,
): RunningServer {
  return serveTcp({ host, port }, async (connection) => {
    const { hostname } = connection.remoteAddr;
    for await (const line of readLines(connection)) {
      const text = fromNode(line, hostname);
      if (text !== undefined) await write(`${text}\n`);
    }
  });
}

async function* readLines(connection: Deno.Conn): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(16 * 1024);
  let rest = "";
  for (;;) {
    const count = await connection.read(buffer);
    if (count === null) return;
    rest += decoder.decode(buffer.subarray(0, count), { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLine) rest = "";
    yield* lines;
  }
}

function fromNode(line: string, node: string): string | undefined {
  try {
    const value = JSON.parse(line);
    if (typeof value !== "object" || value === null) return undefined;
    return JSON.stringify({ node, ...value });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
