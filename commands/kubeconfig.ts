import {
  emptyKubeconfig,
  type Kubeconfig,
  parseKubeconfig,
} from "../config/kubeconfig/content.ts";
import {
  changeKubeconfig,
  createKubeconfig,
  readKubeconfigText,
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
import { fromControlPlane } from "./_control_plane.ts";
import { kubeconfigTarget } from "./_kubeconfig_target.ts";
import {
  type AnyCommand,
  type Command,
  type Context,
  optionalWord,
  text,
  textual,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { choose, prompter } from "../terminal/prompt.ts";

/** What became of a kubeconfig. Source: `MachineService.Kubeconfig`. */
export interface KubeconfigRow {
  /** Control plane it is from. */
  readonly node: string;
  /** File it is in; `-` for standard output. */
  readonly path: string;
  /** Name of its context there. */
  readonly context: string;
  /** False when the file was as it should be already, and for standard output. */
  readonly written: boolean;
  /** What was merged into a file that was there. */
  readonly changes: readonly KubeconfigChange[];
  /** The kubeconfig itself, YAML; only for standard output. */
  readonly content?: string;
}

const inputs = {
  path: optionalWord("file, folder, or - for standard output", {
    complete: "files",
  }),
  merge: toggle("merge into what is there", { short: "m", initial: true }),
  force: toggle("overwrite what is there", { short: "f" }),
  forceContextName: text("name of the context"),
  setCurrent: toggle("make the context the current one", { initial: true }),
};

type KubeconfigInputs = Values<typeof inputs>;

/** `osctl kubeconfig [path]`: the kubeconfig of an administrator, merged into that of the user. */
export const command: AnyCommand = {
  summary: "Download the admin kubeconfig",
  description:
    `It is merged into the file named, else into $KUBECONFIG, else into ~/.kube/config; comments and everything else there
stay, and what was there before is kept beside it, with .bak at the end of its name. What is of the same cluster, by
its authority, is updated in place. When something else has a name, it is renamed with a number, or overwritten with
--force; on a terminal you are asked. The context becomes the current one.

With --merge=false it goes to the file named, else to "kubeconfig" in the working directory; with - as path to
standard output. A file that is there already is overwritten only with --force.

Only what a node's own kubeconfig has is taken: addresses, certificates and keys. One with anything else, such as exec,
auth-provider, tokenFile or a path, is refused.

Any control plane can answer: without --nodes one is chosen, and named on standard error.`,
  inputs,
  examples: [
    "kubeconfig",
    "kubeconfig ./admin.kubeconfig --merge=false --nodes 10.0.0.2",
    "kubeconfig - | kubectl --kubeconfig /dev/stdin get nodes",
  ],
  view: textual(shown),
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
    if (target.kind === "merged") {
      yield { node, ...await mergeInto(target.path, incoming, context) };
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

/** Merges into a file; all questions come before it is locked, and their answers are remembered. */
async function mergeInto(
  path: string,
  incoming: Kubeconfig,
  context: Context<KubeconfigInputs>,
): Promise<Omit<KubeconfigRow, "node">> {
  const { input, signal } = context;
  using prompts = prompter(context);
  const options: KubeconfigMergeOptions = {
    onConflict: policyOf(context, prompts),
    contextName: input.forceContextName,
    setCurrent: input.setCurrent,
  };
  const merge = (text: string) =>
    mergeKubeconfig(parseKubeconfig(text, path), incoming, options);
  let merged: MergedKubeconfig = await merge(
    await readKubeconfigText(path) ?? "",
  );
  const written = await changeKubeconfig(path, async (before) => {
    merged = await merge(before);
    return renderKubeconfig(before, path, merged.config);
  }, { signal });
  return { path, context: merged.context, written, changes: merged.changes };
}

function policyOf(
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

/** Names of kinds, as other tools write them. */
const titles = {
  cluster: "cluster",
  user: "auth info",
  context: "context",
} as const;

function shown(row: KubeconfigRow): string {
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
