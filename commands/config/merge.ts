import {
  type ConflictPolicy,
  describeMerge,
  type MergeConflict,
  type MergeEvent,
  mergeOsconfig,
} from "../../config/osconfig/merge.ts";
import type { Osconfig } from "../../config/osconfig/osconfig.ts";
import { parseOsconfig } from "../../config/osconfig/osconfig_file.ts";
import { selectContext } from "../../config/osconfig/select_context.ts";
import { ConfigError } from "../../errors.ts";
import { choice, type Context, silently, toggle, word } from "../_kit/mod.ts";
import { readSource } from "../_configure/source.ts";
import { changeOsconfig, currentOsconfig } from "../_session/osconfig.ts";
import { choose, type Prompter, prompter } from "../../terminal/prompt.ts";
import { nearest } from "../../lib/text/nearest.ts";

const policies = ["rename", "overwrite", "skip"] as const;

const inputs = {
  from: word("client configuration to merge; - for standard input", {
    complete: "files",
    dash: true,
  }),
  onConflict: choice(
    "what to do if another cluster uses the name of a context",
    [...policies, "ask"],
    { initial: "rename" },
  ),
  setCurrent: toggle("also set the current context to that of the file"),
};

export const command = silently({
  summary: "Merge the contexts of another client configuration",
  description:
    `An identical context is skipped. A context of the same cluster is updated in place; values the other file does not
set are kept. A name that another cluster uses is a conflict. With --context only that context is merged. Standard error
shows what was done. The current context does not change, unless none is set.`,
  inputs,
  examples: [
    "config merge ./osconfig",
    "config merge ./osconfig --on-conflict overwrite --set-current",
  ],
  async work(context) {
    const { input, globals, environment, note } = context;
    const { setCurrent } = input;
    const incoming = await readContexts(input.from, context);
    // Before this, an interrupt terminates the process, even while it reads a
    // pipe.
    const { signal } = context;
    using prompts = prompter(context);
    const onConflict = decider(input.onConflict, prompts);
    if (input.onConflict === "ask") {
      // All prompts come before the file is locked; their answers are kept.
      const { config } = await currentOsconfig(context);
      await mergeOsconfig(config, incoming, { onConflict });
    }
    let events: readonly MergeEvent[] = [];
    let current = "";
    await changeOsconfig({ globals, environment, signal }, async (config) => {
      const merged = await mergeOsconfig(config, incoming, {
        onConflict,
        setCurrent,
      });
      events = merged.events;
      ({ current } = merged.config);
      return merged.config;
    });
    for (const event of events) note(describeMerge(event));
    if (current !== "" && !events.some(({ action }) => action === "current")) {
      note(
        `current osconfig context is still "${current}"; change it with: osctl config context <name>`,
      );
    }
  },
});

async function readContexts(
  path: string,
  context: Context<unknown>,
): Promise<Osconfig> {
  const { text, name: file } = await readSource(path, context, {
    limitMib: 10,
    expected: "a client configuration",
  });
  const config = await parseOsconfig(text, file);
  if (config.contexts.size === 0) {
    throw new ConfigError(`Cannot merge "${file}": it has no contexts`);
  }
  const { context: name } = context.globals;
  if (name === undefined) return config;
  const choice = { context: name, file, nearest };
  const { name: _, ...chosen } = selectContext(config, choice);
  return { current: name, contexts: new Map([[name, chosen]]) };
}

function decider(
  policy: ConflictPolicy | "ask",
  prompts: Prompter,
): ConflictPolicy | ((conflict: MergeConflict) => Promise<ConflictPolicy>) {
  if (policy !== "ask") return policy;
  const answers = new Map<string, ConflictPolicy>();
  return async ({ name }) => {
    const answer = answers.get(name) ?? await choose(
      prompts,
      `another cluster uses the name "${name}": rename the new context, overwrite the old one, or skip`,
      policies,
      "Use --on-conflict with rename, overwrite or skip",
    );
    answers.set(name, answer);
    return answer;
  };
}
