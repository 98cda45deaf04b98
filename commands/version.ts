import {
  cell,
  type Command,
  lines,
  table,
  textual,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";
import { single } from "../transport/call/reply.ts";
import { release } from "../release.ts";

/** Version of the client or a node. Source: `MachineService.Version`. */
interface VersionRow {
  /** Node name; absent for the client. */
  readonly node?: string;
  /** Version tag such as `v1.12.11`. */
  readonly tag: string;
  /** Commit of the build, may be empty. */
  readonly sha: string;
  /** Time of the build, may be empty. */
  readonly built: string;
  readonly runtime: string;
  readonly os: string;
  /** CPU architecture, named as in Go: `amd64`, `arm64`. */
  readonly arch: string;
  /** Platform of the node, such as `metal`; nodes only. */
  readonly platform?: string;
  /** Runtime mode of the platform: `metal`, `cloud`, `container`; nodes only. */
  readonly mode?: string;
  /** True if the node enforces roles; nodes only. */
  readonly rbac?: boolean;
  /** Licenses of everything in the executable, with `--licenses`. */
  readonly licenses?: string;
}

const inputs = {
  client: toggle("show only the client's version"),
  short: toggle("show the client's version in one line"),
  licenses: toggle("print the licenses of everything in this executable", {
    step: false,
  }),
  ...maintenanceInputs,
  json: toggle("print each node's answer as JSON", { hidden: true }),
};

type VersionInputs = Values<typeof inputs>;

export const command = {
  summary: "Show the version of the client and the nodes",
  description: "One node is shown as a block, several nodes in a table.",
  inputs,
  examples: ["version --client", "version --nodes 10.0.0.2,10.0.0.3"],
  view: (input) =>
    input.json && !input.licenses
      ? lines(message)
      : { ...textual((row) => block(row, input)), many: nodeTable },
  async *run({ input, nodes }) {
    if (input.licenses) {
      // Large, and rarely used.
      const { notices: licenses } = await import("./_kit/notices.ts");
      yield { ...clientRow(), licenses };
      return;
    }
    // Flags that select nodes are checked before anything is printed.
    if (!input.client) await nodes.names();
    if (!input.json) yield clientRow();
    if (input.client) return;
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.version({})).messages)
    );
    for await (const { node, value } of answers) {
      const { version, platform, features } = value;
      yield {
        node,
        tag: version?.tag ?? "",
        sha: version?.sha ?? "",
        built: version?.built ?? "",
        runtime: version?.goVersion ?? "",
        os: version?.os ?? "",
        arch: version?.arch ?? "",
        platform: platform?.name ?? "",
        mode: platform?.mode ?? "",
        rbac: features?.rbac ?? false,
      };
    }
  },
} satisfies Command<VersionRow, VersionInputs>;

const nodeTable = table<VersionRow>({
  NODE: ({ node = "" }) => node,
  TAG: ({ tag }) => tag,
  SHA: ({ sha }) => sha,
  BUILT: ({ built }) => built,
  "GO VERSION": ({ runtime }) => runtime,
  "OS/ARCH": ({ os, arch }) => `${os}/${arch}`,
  ENABLED: ({ rbac }) => rbac ? "RBAC" : "",
});

function clientRow(): VersionRow {
  return {
    ...release,
    runtime: `deno${Deno.version.deno}`,
    os: Deno.build.os,
    arch: architectures[Deno.build.arch],
  };
}

const architectures = { x86_64: "amd64", aarch64: "arm64" } as const;

/** The node's response in protobuf JSON, which omits empty fields. */
function message(row: VersionRow): string {
  const { node, platform, mode, rbac, runtime, tag, sha, built, os, arch } =
    row;
  return JSON.stringify({
    metadata: withoutEmpty({ hostname: node }),
    version: withoutEmpty({ tag, sha, built, goVersion: runtime, os, arch }),
    platform: withoutEmpty({ name: platform, mode }),
    features: withoutEmpty({ rbac }),
  });
}

function withoutEmpty(fields: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => Boolean(value)),
  );
}

function block(row: VersionRow, input: VersionInputs): string {
  if (row.licenses !== undefined) return row.licenses;
  const facts = [
    field("Tag:", row.tag),
    field("SHA:", row.sha),
    field("Built:", row.built),
    field("Go version:", row.runtime),
    field("OS/Arch:", `${row.os}/${row.arch}`),
  ].join("");
  if (row.node !== undefined) {
    const enabled = field("Enabled:", row.rbac ? "RBAC" : "");
    return field("NODE:", row.node) + facts + enabled;
  }
  const client = `Client:\n${input.short ? `osctl ${row.tag}\n` : facts}`;
  return input.client ? client : `${client}Server:\n`;
}

function field(label: string, value: string): string {
  return `\t${label.padEnd(13)}${cell(value)}\n`;
}
