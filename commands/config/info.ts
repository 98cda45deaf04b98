import { layOut } from "../../terminal/table.ts";
import type { NamedContext } from "../../config/osconfig/select_context.ts";
import { diagnoseClientIdentity } from "../../pki/diagnose.ts";
import { shownProxy } from "../../transport/connect/proxy.ts";
import {
  type Command,
  type Context,
  relativeTime,
  textual,
} from "../_kit/mod.ts";
import { chosenContext } from "../_session/osconfig.ts";
import { listPems, readLeaf } from "./_certificate.ts";

/** Details of a context. */
interface InfoRow {
  readonly context: string;
  /** Default target nodes, as written. */
  readonly nodes: readonly string[];
  /** Host or `host:port` of each endpoint, as written. */
  readonly endpoints: readonly string[];
  /** Proxy to the endpoints, without credentials; `direct` for none; absent if the environment determines it. */
  readonly proxyUrl?: string;
  /** Organizations of the client certificate: the roles of the client. */
  readonly roles: readonly string[];
  /** Time to the expiry of the client certificate, such as `1 year from now`; empty without one. */
  readonly certTTL: string;
  /** Expiry date of the client certificate in UTC, `YYYY-MM-DD`; empty without one. */
  readonly certNotAfter: string;
}

export const command: Command<InfoRow> = {
  summary: "Show the current context",
  description:
    `Shows the context given by --context; default the current one. Nothing is sent to a node. Problems with the
certificates, and those that expire soon, are reported on standard error.`,
  inputs: {},
  examples: ["config info", "config info --context production -o json"],
  view: textual((row, _, columns) => formatFacts(row, columns)),
  async *run(request) {
    const context = await chosenContext(request);
    await warn(context, request);
    const { name, nodes, endpoints } = context;
    const leaf = readLeaf(listPems(context).crt);
    yield {
      context: name,
      nodes,
      endpoints,
      ...context.proxyUrl && { proxyUrl: shownProxy(context.proxyUrl) },
      roles: leaf?.subject.organizations ?? [],
      certTTL: leaf === undefined
        ? ""
        : relativeTime(leaf.notAfter.toISOString(), request.environment.now()),
      certNotAfter: leaf?.notAfter.toISOString().slice(0, 10) ?? "",
    };
  },
};

function formatFacts(row: InfoRow, columns: number | undefined): string {
  const facts = [
    ["Current context:", row.context],
    ["Nodes:", row.nodes.join(", ") || "not defined"],
    ["Endpoints:", row.endpoints.join(", ") || "not defined"],
    ...row.proxyUrl === undefined ? [] : [["Proxy:", row.proxyUrl]],
    ...row.roles.length === 0 ? [] : [["Roles:", row.roles.join(", ")]],
    ...row.certNotAfter === ""
      ? []
      : [["Certificate expires:", `${row.certTTL} (${row.certNotAfter})`]],
  ];
  const widths = ["Certificate expires:".length];
  return layOut(facts, { gap: 1, columns }, { widths }).text;
}

async function warn(
  context: NamedContext,
  { globals, environment, note }: Context<unknown>,
): Promise<void> {
  const { ca, crt, key } = listPems(context);
  // Contexts for proxies may authenticate without a certificate.
  if (crt === undefined && key === undefined) return;
  const findings = await diagnoseClientIdentity({
    ca,
    crt,
    key,
    now: environment.now(),
  });
  for (const { severity, message, hint } of findings) {
    if (severity === "warning" && globals.noExpiryWarning) continue;
    note(`warning: Context "${context.name}": ${message}`);
    note(`hint: ${hint}`);
  }
}
