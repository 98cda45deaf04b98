/** Nodes that say what they were asked to say, whatever they are asked. */

import { RpcError } from "../../errors.ts";
import type { Method, Transport } from "../../transport/call/call.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { fakeNodes } from "../_fake.ts";

interface Type {
  readonly encode: (value: unknown) => { readonly finish: () => Uint8Array };
  readonly decode: (bytes: Uint8Array) => unknown;
  readonly fromPartial: (value: unknown) => unknown;
}

type Filled = Record<string, unknown>;

const deepest = 5;

/**
 * Nodes that refuse every call.
 *
 * @param message What they say.
 * @param signal Ends all calls.
 */
export function refusingNodes(message: string, signal: AbortSignal): Nodes {
  const refuse = () => new RpcError("INVALID_ARGUMENT", message);
  return nodesOver({
    unary: () => Promise.reject(refuse()),
    // deno-lint-ignore require-yield
    async *stream() {
      throw await Promise.resolve(refuse());
    },
    close() {},
  }, signal);
}

/**
 * Nodes that answer every call with a text in every field that takes one.
 *
 * @param text The text.
 * @param signal Ends all calls.
 */
export function talkingNodes(text: string, signal: AbortSignal): Nodes {
  const answers = new Map<unknown, unknown>();
  function answer<R>(
    { responseType }: Pick<Method<unknown, R>, "responseType">,
  ) {
    const known = answers.get(responseType) ??
      fillShape(responseType as unknown as Type, text);
    answers.set(responseType, known);
    return known as R; // made by the type
  }
  return nodesOver({
    unary: (method) => Promise.resolve(answer(method)),
    async *stream(method) {
      yield await Promise.resolve(answer(method));
    },
    close() {},
  }, signal);
}

function nodesOver(transport: Transport, signal: AbortSignal): Nodes {
  return fakeNodes({ "10.0.0.2": {} }, signal, transport).nodes;
}

type Path = readonly (string | number)[];

/** Tries out which fields take a text, and which a message or a list of them. */
function fillShape(type: Type, text: string): unknown {
  const partial: Filled = {};
  const sent = () =>
    type.decode(type.encode(type.fromPartial(partial)).finish());

  /** Keeps the first value that comes back as it went. */
  function kept(into: Filled, path: Path, values: readonly unknown[]): unknown {
    const key = String(path.at(-1));
    for (const value of values) {
      into[key] = value;
      try {
        if (isSame(valueAt(sent(), path), value)) return value;
      } catch {
        // Of another type.
      }
    }
    delete into[key];
    return undefined;
  }

  function fill(into: Filled, shown: unknown, path: Path): void {
    if (path.length > deepest * 2) return;
    for (const [key, value] of Object.entries(Object(shown))) {
      // A reply whose metadata says so is one that refuses.
      const isReply = path.length === 2 && path[0] === "messages";
      if (key === "metadata" && isReply) continue;
      const own = [...path, key];
      if (typeof value === "string") into[key] = text;
      else if (value instanceof Uint8Array) {
        into[key] = new TextEncoder().encode(text);
      } else if (Array.isArray(value)) {
        const found = kept(into, own, [[text], [{}]]);
        const [first] = Array.isArray(found) ? found : [];
        if (typeof first !== "object") continue;
        fill(first, valueAt(sent(), [...own, 0]), [...own, 0]);
      } else if (value === undefined) {
        const found = kept(into, own, [{}]);
        if (found !== undefined) {
          fill(found as Filled, valueAt(sent(), own), own);
        }
      }
    }
  }

  fill(partial, type.decode(new Uint8Array()), []);
  return sent();
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((one, key) => Object(one)[key], value);
}

function isSame(found: unknown, given: unknown): boolean {
  if (!Array.isArray(given)) return typeof found === "object" && found !== null;
  return Array.isArray(found) && found.length === 1 &&
    typeof found[0] === typeof given[0] && !(found[0] instanceof Uint8Array);
}
