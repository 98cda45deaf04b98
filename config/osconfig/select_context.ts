import { ConfigError } from "../../errors.ts";
import type { ClientContext, Osconfig } from "./osconfig.ts";

/** A context with its name. */
export interface NamedContext extends ClientContext {
  readonly name: string;
}

/** Requested context, and details for messages. */
export interface ContextChoice {
  /** Name from the user; default: the current context. */
  readonly context?: string | undefined;
  /** File name for messages. */
  readonly file: string;
  /** Suggests a similar name; default: none. */
  readonly nearest?:
    | ((wrong: string, known: Iterable<string>) => string | undefined)
    | undefined;
}

/** Selects a context. Throws `ConfigError` if no context is set or it does not exist. */
export function selectContext(
  config: Osconfig,
  choice: ContextChoice,
): NamedContext {
  const name = choice.context || config.current;
  const context = config.contexts.get(name);
  if (context !== undefined) return { ...context, name };
  if (config.contexts.size === 0) throw withoutContexts(choice);
  throw name === ""
    ? withoutCurrent(config, choice)
    : unknownContext(name, config, choice);
}

/** Hint for users without any cluster. */
export const startHint =
  "Add a cluster with: osctl config merge <file>; to try osctl with simulated nodes: osctl cluster create embedded";

function withoutContexts({ context, file }: ContextChoice): ConfigError {
  const wanted = context ? `context "${context}"` : "a context";
  return new ConfigError(`Cannot use ${wanted}: "${file}" has no contexts`, {
    hint: startHint,
  });
}

function withoutCurrent(
  config: Osconfig,
  { file }: ContextChoice,
): ConfigError {
  return new ConfigError(
    `No current context is set in "${file}", which has ${listContexts(config)}`,
    { hint: "Choose one with --context, or set it with osctl config context" },
  );
}

function unknownContext(
  name: string,
  config: Osconfig,
  { file, nearest }: ContextChoice,
): ConfigError {
  const meant = nearest?.(name, config.contexts.keys());
  return new ConfigError(
    `Cannot use context "${name}": "${file}" has ${listContexts(config)}`,
    {
      hint: meant === undefined
        ? "Choose one of them with --context"
        : `Did you mean "${meant}"?`,
    },
  );
}

function listContexts({ contexts }: Osconfig): string {
  const shown = Array.from(contexts.keys(), (name) => `"${name}"`);
  const more = shown.length - 10;
  return more > 0
    ? `${shown.slice(0, 10).join(", ")} and ${more} more`
    : shown.join(", ");
}
