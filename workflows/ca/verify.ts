/** Whether nodes take a client, and whom they are certified by. */

import { type ConnectCause, ConnectError, OsctlError } from "../../errors.ts";
import type { CredentialRing } from "../runbooks/module.ts";

/** How a node is reached: past the endpoints, or through them. */
export type Route = "direct" | "proxied";

/** What is expected of nodes. */
export interface Expectation {
  /** Name of the entry of the ring that is shown. */
  readonly client: string;
  /** Name of the entry whose authorities the node has to be certified by. */
  readonly authorities: string;
  /** Ways to try. */
  readonly routes: readonly Route[];
  /** What the nodes are to do. */
  readonly expect: "accepted" | "refused";
}

/** What was seen. */
export interface Seen {
  /** How many tries ended as expected. */
  readonly ok: number;
  /** How many there were: nodes by routes. */
  readonly total: number;
  /** The others, one line each. */
  readonly failures: readonly string[];
}

/** Longest time for one answer, in milliseconds. */
const deadlineMs = 10_000;

/** How many tries go on at once. */
const atOnce = 16;

/** How a node says that it does not want a client. */
const refusals: ReadonlySet<ConnectCause> = new Set([
  "client-wrong-ca",
  "client-missing",
  "reset",
]);

/** Tries every node over every route, each over a new connection. */
export async function verifyClients(
  ring: Pick<CredentialRing, "at">,
  nodes: readonly string[],
  expectation: Expectation,
): Promise<Seen> {
  const tries = nodes.flatMap((node) =>
    expectation.routes.map((route) => ({ node, route }))
  );
  const failures: string[] = [];
  for (let from = 0; from < tries.length; from += atOnce) {
    const some = tries.slice(from, from + atOnce);
    // So many at once, and no more.
    const found = await Promise.all(some.map(async ({ node, route }) => {
      const wrong = await tried(ring, node, route, expectation);
      return wrong === undefined ? [] : [`${node} (${route}): ${wrong}`];
    }));
    failures.push(...found.flat());
  }
  const total = tries.length;
  return { ok: total - failures.length, total, failures };
}

/** What was not as expected. */
async function tried(
  ring: Pick<CredentialRing, "at">,
  node: string,
  route: Route,
  { client, authorities, expect }: Expectation,
): Promise<string | undefined> {
  try {
    const isDirect = route === "direct";
    const { machine } = await ring.at(client, node, isDirect, authorities);
    await machine.version({}, { deadlineMs });
    return expect === "accepted" ? undefined : "the client is let in";
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    const isRefusal = error instanceof ConnectError &&
      refusals.has(error.reason);
    return expect === "refused" && isRefusal ? undefined : error.message;
  }
}
