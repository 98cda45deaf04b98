/** Command lines in this process, with the real session and a client configuration of their own. */

import { lazyNodes } from "../../../transport/node/nodes.ts";
import { openSession } from "../../../commands/_kit/session.ts";
import { withFolder } from "../../_folder.ts";
import { type Ran, run, type RunOptions } from "../../_run.ts";

/** A context; certificates and keys as PEM. */
export interface TestContext {
  readonly endpoints?: readonly string[];
  readonly nodes?: readonly string[];
  readonly ca?: string;
  readonly crt?: string;
  readonly key?: string;
  readonly cluster?: string;
  readonly auth?: Readonly<Record<string, unknown>>;
}

/**
 * Runs a command line with context `lab`, which is the current one, beside an empty one named `other`.
 *
 * @param line Words separated by spaces, or a list of words.
 * @param context The context.
 * @param options Streams, environment, clock; the folder of the configuration is `$HOME/.os`.
 */
export async function runWith(
  line: string | readonly string[],
  context: TestContext,
  options: RunOptions = {},
): Promise<Ran> {
  const pems = Object.entries(context).map(([name, value]) =>
    ["ca", "crt", "key"].includes(name)
      ? [name, btoa(String(value))]
      : [name, value]
  );
  const config = {
    context: "lab",
    contexts: { lab: Object.fromEntries(pems), other: {} },
  };
  const files = { ".os/config": JSON.stringify(config) };
  let ran: Ran | undefined;
  await withFolder(files, async (home) => {
    ran = await run(line, {}, {
      now: new Date(),
      open: (request) => lazyNodes(() => openSession(request)),
      ...options,
      env: { HOME: home, ...options.env },
    });
  });
  return ran!; // the folder's test has ended
}
