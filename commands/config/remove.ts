import type { Osconfig } from "../../config/osconfig/osconfig.ts";
import { ConfigError } from "../../errors.ts";
import { silently, toggle, type Values, word, yesFlag } from "../_kit/mod.ts";
import {
  changeOsconfig,
  checkContextArgument,
  currentOsconfig,
  type FoundOsconfig,
} from "../_session/osconfig.ts";
import {
  confirm,
  prompter,
  type PromptOptions,
} from "../../terminal/prompt.ts";
import { nearest } from "../../lib/text/nearest.ts";

const inputs = {
  context: word("name of the context; * matches any text", {
    complete: "contexts",
  }),
  dryRun: toggle("only show what would be removed"),
  yes: { ...yesFlag, aliases: ["noconfirm"] },
};

export const command = silently({
  summary: "Remove contexts",
  description:
    "Asks before removing each one, on standard error; answers can be piped in. The current context is never removed.",
  inputs,
  examples: ["config remove staging", "config remove 'lab-*' --yes"],
  async work(context) {
    const { input, globals, environment, signal, note } = context;
    checkContextArgument(input.context, "config remove", globals);
    const names = matches(await currentOsconfig(context), context);
    if (input.dryRun) {
      for (const name of names) note(`removing context "${name}" (dry run)`);
      return;
    }
    if (input.yes) {
      for (const name of names) note(`removing context "${name}"`);
    }
    const chosen = input.yes ? names : await confirmRemoval(names, context);
    if (chosen.length === 0) return;
    await changeOsconfig(
      { globals, environment, signal },
      (config) => without(config, chosen),
    );
  },
});

function matches(
  { config, location }: FoundOsconfig,
  { input, note }: {
    readonly input: Values<typeof inputs>;
    readonly note: (text: string) => void;
  },
): readonly string[] {
  const pattern = input.context;
  const names = [...config.contexts.keys()].sort();
  const matched = names.filter((name) => compilePattern(pattern).test(name));
  if (matched.length === 0) throw noMatchError(pattern, names, location.path);
  if (matched.includes(config.current)) {
    note(
      `context "${config.current}" is the current one and is kept; switch to another with: osctl config context`,
    );
  }
  return matched.filter((name) => name !== config.current);
}

async function confirmRemoval(
  names: readonly string[],
  options: PromptOptions,
): Promise<readonly string[]> {
  using prompts = prompter(options);
  const chosen: string[] = [];
  // One at a time, because each needs confirmation.
  for (const name of names) {
    const yes = await confirm(
      prompts,
      `remove context "${name}"`,
      "Use --yes to remove it without confirmation",
    );
    if (yes) chosen.push(name);
  }
  return chosen;
}

/** Keeps the current context if it changed during the prompt. */
function without(config: Osconfig, names: readonly string[]): Osconfig {
  const kept = [...config.contexts].filter(([name]) =>
    name === config.current || !names.includes(name)
  );
  return { ...config, contexts: new Map(kept) };
}

function compilePattern(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) =>
    part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&")
  );
  return new RegExp(`^${parts.join(".*")}$`, "s");
}

function noMatchError(
  pattern: string,
  names: readonly string[],
  path: string,
): ConfigError {
  if (names.length === 0) {
    return new ConfigError(
      `Cannot remove context "${pattern}": "${path}" has no contexts`,
    );
  }
  const near = nearest(pattern, names);
  return new ConfigError(
    `Cannot remove context "${pattern}": none in "${path}" has that name`,
    {
      hint: near === undefined
        ? "List the names with: osctl config contexts"
        : `Did you mean "${near}"?`,
    },
  );
}
