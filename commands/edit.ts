import type { ResourcePlace } from "../transport/node/read_resource.ts";
import { patchBetween } from "../config/diff.ts";
import { formatCount } from "../lib/text/count.ts";
import { applyPatches, readPatch } from "../config/patch.ts";
import {
  ConfigError,
  NodesError,
  type OsctlError,
  OutcomeError,
  RefusedError,
  UsageError,
} from "../errors.ts";
import type {
  ConfigurationFacts,
  LiveConfiguration,
} from "../workflows/configuration/facts.ts";
import type { AnyChange } from "./_kit/operate.ts";
import { applyConfigOperation } from "../workflows/operations/node/apply_config.ts";
import { applyChange } from "./_configure/apply.ts";
import { applyInputs } from "./_configure/apply_inputs.ts";
import {
  type ChangeRow,
  changeView,
  plannedRow,
  plannedText,
} from "./_configure/apply_plan.ts";
import {
  changeTo,
  gatherFacts,
  type NodeChange,
  prepare,
} from "./_configure/configuration.ts";
import { type EditEnd, editText } from "../terminal/edit_session.ts";
import { chooseEditor } from "../terminal/editor.ts";
import {
  type Command,
  type Context,
  toggle,
  type Values,
  yesFlag,
} from "./_kit/mod.ts";
import { confirm, prompter } from "../terminal/prompt.ts";
import {
  readResource,
  resourceInputs,
  resourceNamed,
  writeResource,
} from "./_configure/update_resource.ts";

export const change: AnyChange = {
  operation: applyConfigOperation,
  prepare() {
    throw new TypeError("The edit is not known in advance");
  },
};

const inputs = {
  ...resourceInputs,
  diff: toggle("show the change and ask before it is sent, also of one node"),
  yes: yesFlag,
  ...applyInputs,
};

type EditInputs = Values<typeof inputs>;

export const command = {
  summary: "Edit the configuration of nodes",
  noStep: "it is interactive; use config.patch",
  description:
    `Opens the configuration in $OS_EDITOR, $EDITOR or $VISUAL, validates it and applies it as "apply-config" does. If
there are problems, the file is opened again with the problems at the top. Nothing is sent if the file is unchanged or
empty. If the edit cannot be sent, it is saved to a file.

With several nodes, you edit the configuration of the first one. The same change is then shown for every node and
applied after one confirmation; with --diff, also that of one node. Other resource types can be edited too, but nodes refuse changes to most of them.`,
  inputs,
  examples: [
    "edit -n 10.0.0.5",
    "edit mc --nodes @workers --mode try",
  ],
  view: changeView,
  async *run(context) {
    requireTerminal(context);
    const name = await resourceNamed(context.nodes, context.input);
    yield* name === undefined
      ? editConfigurations(context)
      : editResource(context, name);
  },
} satisfies Command<ChangeRow, EditInputs>;

function requireTerminal({ environment }: EditContext): void {
  const { command, needsTerminal } = chooseEditor(environment);
  const { stdin, stdout } = environment;
  if (!needsTerminal || stdin.terminal && stdout.terminal) return;
  throw new UsageError(
    `Cannot edit: the editor "${command}" needs a terminal, and standard ${
      stdin.terminal ? "output" : "input"
    } is none`,
    {
      hint: "Use: osctl patch machineconfig, or osctl apply-config",
      alternatives: ["Or set EDITOR to a program that changes the file"],
    },
  );
}

type EditContext = Context<EditInputs>;

type Configured = ConfigurationFacts & { readonly live: LiveConfiguration };

async function* editConfigurations(
  context: EditContext,
): AsyncGenerator<ChangeRow> {
  const gathered = await gatherFacts(context);
  const configured = gathered.facts.filter(isConfigured);
  const [first] = configured;
  if (first === undefined) {
    const failures = new Map(gathered.failures);
    for (const { node, hidden } of gathered.facts) {
      if (hidden !== undefined) failures.set(node, hidden);
    }
    if (failures.size === 0) {
      throw new ConfigError("There is no configuration to edit");
    }
    throw new NodesError(failures, gathered.total);
  }
  const rows: ChangeRow[] = [];
  let failure: unknown;
  try {
    const end = await edit(context, {
      title: `Configuration of ${first.node}`,
      body: first.live.text,
      correctable: (error) => isCorrectable(error, gathered.total),
      async accept(text) {
        const changes = collectChanges(context, configured, text);
        const change = {
          ...gathered,
          changes,
          confirm: () => ask(context, changes),
        };
        for await (const row of applyChange(context, change)) rows.push(row);
      },
    });
    noteSkipped(context, end);
  } catch (error) {
    failure = error;
  }
  yield* rows;
  if (failure !== undefined) throw failure;
}

function isConfigured(facts: ConfigurationFacts): facts is Configured {
  return facts.live !== undefined;
}

function isCorrectable(error: OsctlError, total: number): boolean {
  if (error instanceof ConfigError) return true;
  return error instanceof NodesError && total === 1 &&
    [...error.failures.values()].every((cause) =>
      cause instanceof OutcomeError && cause.outcome === "failed"
    );
}

/** The first node gets the edited text, the others the same change to their own. */
function collectChanges(
  { note }: EditContext,
  [first, ...others]: readonly Configured[],
  text: string,
): readonly NodeChange[] {
  if (first === undefined) return [];
  const prepared = prepare(text, "edited", note);
  const own: NodeChange = { ...first, ...prepared, isDerived: true };
  if (others.length === 0) return [own];
  const between = patchBetween(first.live.documents, own.wanted);
  if (between === "") return [own];
  const patch = readPatch(between, "the change");
  return [
    own,
    ...others.flatMap((one): readonly NodeChange[] => {
      const { documents, changed } = applyPatches(one.live.documents, [patch]);
      return changed ? [changeTo(one, documents)] : [];
    }),
  ];
}

async function ask(
  context: EditContext,
  changes: readonly NodeChange[],
): Promise<void> {
  const { input, note, environment, signal } = context;
  if (changes.length < 2 && !input.diff) return;
  for (const change of changes) {
    const row = await plannedRow(change, input.mode, signal);
    note(plannedText(row).trimEnd());
  }
  if (input.yes || environment.env("OSCTL_COMPAT") === "peer") return;
  using prompts = prompter(context);
  const question = `Send this change to ${formatCount(changes.length, "node")}`;
  if (await confirm(prompts, question, "Pass --yes")) return;
  throw new RefusedError("The change was not confirmed", {
    hint: "Nothing was sent",
  });
}

async function* editResource(
  context: EditContext,
  name: ResourcePlace,
): AsyncGenerator<ChangeRow> {
  const client = await context.nodes.only("edit");
  const resource = await readResource(client, name);
  const rows: ChangeRow[] = [];
  const end = await edit(context, {
    title: `${name.type} ${name.id} of ${client.node}`,
    body: resource.spec?.yamlSpec ?? "",
    correctable: () => false,
    async accept(text) {
      rows.push(await writeResource(client, resource, text, context.input));
    },
  });
  noteSkipped(context, end);
  yield* rows;
}

function edit(
  { environment, note, signal }: EditContext,
  task: Parameters<typeof editText>[0],
): Promise<EditEnd> {
  const surroundings = {
    editor: chooseEditor(environment),
    environment,
    note,
    signal,
  };
  if (!environment.stdin.terminal) return editText(task, surroundings);
  return editText(task, {
    ...surroundings,
    async untilSaved(question) {
      using prompts = prompter({ environment, signal });
      await prompts.ask(question);
    },
  });
}

function noteSkipped({ note }: EditContext, end: EditEnd): void {
  if (end === "empty") note("Nothing was sent: the file is empty");
  if (end === "unchanged") note("Nothing was sent: no changes were made");
}
