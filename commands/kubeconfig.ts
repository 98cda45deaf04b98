import { refusePipe } from "../lib/files/atomic_file.ts";
import { namesNodes } from "./_kit/globals.ts";
import {
  emptyKubeconfig,
  type Kubeconfig,
  parseKubeconfig,
} from "../config/kubeconfig/content.ts";
import {
  changeKubeconfig,
  createKubeconfig,
  kindAt,
  readKubeconfigText,
  usualKubeconfig,
} from "../config/kubeconfig/file.ts";
import {
  type KubeconfigChange,
  type KubeconfigMergeOptions,
  type MergedKubeconfig,
  mergeKubeconfig,
  type NamePolicy,
} from "../config/kubeconfig/merge.ts";
import { renderKubeconfig } from "../config/kubeconfig/render.ts";
import { readKubeconfig } from "../workflows/kubernetes/kubeconfig.ts";
import {
  type Command,
  type Context,
  type Environment,
  optionalWord,
  text,
  textual,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { choose, prompter } from "../terminal/prompt.ts";
import {
  ConfigError,
  ConnectError,
  OsctlError,
  RpcError,
  UsageError,
} from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import type { NodeAnswer } from "../transport/node/nodes.ts";
import { knownMembers } from "../transport/node/members.ts";
import { failureKind } from "../transport/call/retryable.ts";

/** Result of writing a kubeconfig. Source: `MachineService.Kubeconfig`. */
interface KubeconfigRow {
  readonly node: string;
  /** Its path; `-` for standard output. */
  readonly path: string;
  readonly context: string;
  /** False if the file was up to date, and for standard output. */
  readonly written: boolean;
  /** Changes to an existing file. */
  readonly changes: readonly KubeconfigChange[];
  /** The kubeconfig, YAML; only for standard output. */
  readonly content?: string;
}

const inputs = {
  path: optionalWord("file, directory, or - for standard output", {
    complete: "files",
    dash: true,
  }),
  merge: toggle("merge into an existing kubeconfig", {
    short: "m",
    initial: true,
  }),
  force: toggle("overwrite existing entries", { short: "f" }),
  forceContextName: text("name of the context"),
  setCurrent: toggle("make the context the current one", { initial: true }),
};

type KubeconfigInputs = Values<typeof inputs>;

export const command = {
  summary: "Download the admin kubeconfig",
  description:
    `Merges it into the given file, default $KUBECONFIG, else ~/.kube/config. Comments and everything else in the file are
kept, and the previous file is kept as .bak. Entries of the same cluster, by its CA, are updated in place. If another
entry has the name, the new one gets a number, or overwrites it with --force; on a terminal you are asked. The context
becomes the current one.

With --merge=false, it is written to the given file, default "kubeconfig" in the working directory; with - as path, to
standard output. An existing file is overwritten only with --force.

Only addresses, certificates and keys are accepted from a node; a kubeconfig with anything else, such as exec,
auth-provider, tokenFile or a path, is refused.

Any control plane can answer: without --nodes osctl picks one and reports it on standard error.`,
  inputs,
  examples: [
    "kubeconfig",
    "kubeconfig ./admin.kubeconfig --merge=false --nodes 10.0.0.2",
    "kubeconfig - | kubectl --kubeconfig /dev/stdin get nodes",
  ],
  view: textual(formatRow),
  discloses: true,
  async *run(context) {
    const { input, environment } = context;
    const target = await kubeconfigTarget(input, environment);
    const { node, value: source } = await fromControlPlane(
      context,
      "kubeconfig",
      readKubeconfig,
    );
    const name = `kubeconfig of ${node}`;
    const incoming = parseKubeconfig(source, name);
    // A missing file may exist by the time it is written.
    if (target.kind !== "output" && input.merge) {
      const given = { path: target.path, source, incoming };
      yield { node, ...await mergeInto(given, context) };
      return;
    }
    const alone = await mergeKubeconfig(emptyKubeconfig, incoming, {
      onConflict: "overwrite",
      contextName: input.forceContextName,
      setCurrent: true,
    });
    const content = renderKubeconfig(source, name, alone.config);
    const { context: found } = alone;
    if (target.kind === "output") {
      const path = "-";
      const row = { node, path, context: found, written: false, changes: [] };
      yield { ...row, content };
      return;
    }
    const { path } = target;
    const written = target.kind === "new"
      ? await createKubeconfig(path, content).then(() => true)
      : await changeKubeconfig(path, () => content, { signal: context.signal });
    yield { node, path, context: found, written, changes: [] };
  },
} satisfies Command<KubeconfigRow, KubeconfigInputs>;

/** Merges into a file; all prompts come before it is locked, and their answers are kept. */
async function mergeInto(
  { path, source, incoming }: {
    readonly path: string;
    /** Text to merge, used for a new file. */
    readonly source: string;
    readonly incoming: Kubeconfig;
  },
  context: Context<KubeconfigInputs>,
): Promise<Omit<KubeconfigRow, "node">> {
  const { input, signal } = context;
  using prompts = prompter(context);
  const options: KubeconfigMergeOptions = {
    onConflict: choosePolicy(context, prompts),
    contextName: input.forceContextName,
    setCurrent: input.setCurrent,
  };
  const merge = (text: string) =>
    mergeKubeconfig(parseKubeconfig(text, path), incoming, options);
  await refusePipe(path);
  let isNew = false;
  let merged: MergedKubeconfig = await merge(
    await readKubeconfigText(path) ?? "",
  );
  const written = await changeKubeconfig(path, async (before) => {
    isNew = before === "";
    merged = await merge(before);
    return renderKubeconfig(before || source, path, merged.config);
  }, { signal });
  const changes = isNew ? [] : merged.changes;
  return { path, context: merged.context, written, changes };
}

function choosePolicy(
  { input: { force }, environment }: Context<KubeconfigInputs>,
  prompts: ReturnType<typeof prompter>,
): KubeconfigMergeOptions["onConflict"] {
  if (force) return "overwrite";
  if (!environment.stdout.terminal || !environment.stdin.terminal) {
    return "rename";
  }
  const answers = new Map<string, NamePolicy>();
  return async ({ kind, name }) => {
    const question = `${titles[kind]} "${name}" already exists`;
    const answer = answers.get(question) ?? await choose(
      prompts,
      question,
      ["rename", "overwrite"],
      "Use --force to overwrite",
    );
    answers.set(question, answer);
    return answer;
  };
}

const titles = {
  cluster: "cluster",
  user: "auth info",
  context: "context",
} as const;

function formatRow(row: KubeconfigRow): string {
  const { path, context, written, changes, content } = row;
  if (content !== undefined) return content;
  const lines = changes.map(({ kind, action, name, from }) =>
    from === undefined
      ? `${action} ${titles[kind]} "${name}"`
      : `${action} ${titles[kind]} "${from}" -> "${name}"`
  );
  const end = written
    ? `context "${context}" is in "${path}"`
    : `context "${context}" is in "${path}" already`;
  return [...lines, end].map((line) => `${line}\n`).join("");
}

/** Destination of a kubeconfig. */
type KubeconfigTarget =
  | {
    readonly kind: "output";
  }
  | {
    /** A new file, an existing one to overwrite, or one to merge into. */
    readonly kind: "new" | "replaced" | "merged";
    readonly path: string;
  };

/**
 * Finds the destination of a kubeconfig; writes nothing. Source: fact sheet of node commands, section kubeconfig.
 * Throws `ConfigError` if the file must not be replaced, or the path is unknown.
 */
export async function kubeconfigTarget(
  { path: given, merge, force }: {
    readonly path: string | undefined;
    readonly merge: boolean;
    readonly force: boolean;
  },
  environment: Pick<Environment, "env" | "os">,
): Promise<KubeconfigTarget> {
  if (given === "-") return { kind: "output" };
  const named = given ?? (merge ? usualKubeconfig(environment) : "kubeconfig");
  const isFolder = await kindAt(named) === "folder";
  const path = isFolder ? `${named.replace(/\/+$/, "")}/kubeconfig` : named;
  const kind = isFolder ? await kindAt(path) : await kindAt(named);
  if (kind === "folder") {
    throw new ConfigError(
      `Cannot write kubeconfig "${path}": it is a directory`,
    );
  }
  if (kind === "nothing") return { kind: "new", path };
  if (merge) return { kind: "merged", path };
  if (force) return { kind: "replaced", path };
  throw new ConfigError(`Kubeconfig "${path}" already exists`, {
    hint: "Use --force to overwrite it, or --merge to keep its contents",
  });
}

/** Context for choosing a control plane. */
export type ChoiceContext = Pick<
  Context<unknown>,
  "globals" | "nodes" | "note"
>;

/**
 * Calls the named node, else one control plane after another until one answers, and prints its name. Throws
 * `UsageError` if several nodes were named. Throws `OsctlError` with the error of the last one.
 */
export async function fromControlPlane<T>(
  context: ChoiceContext,
  command: string,
  ask: (client: NodeClient) => Promise<T>,
): Promise<NodeAnswer<T>> {
  const { globals, nodes, note } = context;
  if (namesNodes(globals)) {
    const client = await nodes.only(command);
    return { node: client.node, value: await ask(client) };
  }
  const candidates = await listCandidates(context);
  if (candidates.length === 0) {
    const client = await nodes.endpoint();
    note(`No control plane is known; asking endpoint ${client.node}`);
    return { node: client.node, value: await ask(client) };
  }
  let last: unknown;
  for (const node of candidates) {
    note(`Asking the control plane ${node}`);
    try {
      return { node, value: await ask(await nodes.at(node)) };
    } catch (error) {
      if (!isAway(error)) throw error;
      note(`${node} does not answer: ${error.message}`);
      last = error;
    }
  }
  throw last;
}

function isAway(error: unknown): error is RpcError | ConnectError {
  const isOfNode = error instanceof RpcError || error instanceof ConnectError;
  return isOfNode && failureKind(error) === "away";
}

/** Control planes among the default nodes of the context, then all others. */
async function listCandidates(
  { nodes }: ChoiceContext,
): Promise<readonly string[]> {
  const defaults = await defaultNodes(nodes);
  try {
    const members = await knownMembers(await nodes.endpoint());
    const controlPlanes = members.filter(({ controlPlane }) => controlPlane)
      .map(({ address, hostname }) =>
        defaults.find((node) => node === address || node === hostname) ??
          address
      );
    return controlPlanes.toSorted((a, b) =>
      Number(defaults.includes(b)) - Number(defaults.includes(a))
    );
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    // Some roles cannot list the members.
    return defaults;
  }
}

async function defaultNodes(
  nodes: ChoiceContext["nodes"],
): Promise<readonly string[]> {
  try {
    return await nodes.names();
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}
