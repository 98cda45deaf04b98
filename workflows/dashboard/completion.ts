/** Words after `:`: pages, resource types, commands and actions, with completions and suggestions. */

import { nearest } from "../../lib/text/nearest.ts";
import { pageActions } from "./actions.ts";
import { pages } from "./pages/all.ts";
import type { Page } from "./pages/page.ts";
import { listTypeNames } from "./pages/resources.ts";
import {
  type DashboardContext,
  type DashboardState,
  drawContent,
} from "./state.ts";

/** Other names of pages: singular and short ones. */
const pageAliases: Readonly<Record<string, string>> = {
  no: "nodes",
  node: "nodes",
  svc: "services",
  service: "services",
  co: "containers",
  container: "containers",
  pod: "containers",
  pods: "containers",
  log: "logs",
  run: "runs",
  net: "network",
  aliases: "resources",
};

/** Finds a page by its name or another one. */
export function findPage(typed: string): Page | undefined {
  const word = typed.toLowerCase();
  const name = Object.hasOwn(pageAliases, word) ? pageAliases[word] : word;
  return pages.find((page) => page.name.toLowerCase() === name);
}

/** Reason why no command can be run; `undefined` if they can. */
export function findRefusal(
  { readOnly }: Pick<DashboardContext, "readOnly">,
): string | undefined {
  return readOnly === undefined
    ? undefined
    : `The dashboard is read-only: ${readOnly}`;
}

/** Texts that begin with what is typed. */
export function findCompletions(
  text: string,
  state: DashboardState,
  context: DashboardContext,
): readonly string[] {
  const { content: { orders = [] } } = drawContent(state, context);
  const sorts = text.startsWith("sort ")
    ? orders.map((order) => `sort ${order.toLowerCase()}`)
    : ["sort ", "quit"];
  const typed = text.toLowerCase();
  return [...listNames(state, context), ...sorts, ...listValues(context)]
    .filter((one) => one.startsWith(typed));
}

/** Pages, commands, actions of the page and resource types. */
function listNames(
  state: DashboardState,
  context: DashboardContext,
): readonly string[] {
  const commands = findRefusal(context) === undefined
    ? [
      ...context.commands.map(({ name }) => name),
      ...pageActions(state.page).map(({ text }) => text)
        .filter((text) => !text.includes(" ")),
    ]
    : [];
  return [
    ...new Set([
      ...pages.map(({ name }) => name.toLowerCase()),
      ...commands,
      ...listTypes(state, context),
    ]),
  ];
}

function listTypes(
  state: DashboardState,
  context: DashboardContext,
): readonly string[] {
  return listTypeNames(drawContent(state, context).own);
}

/** Command lines with the known values of an argument. */
function listValues(context: DashboardContext): readonly string[] {
  return findRefusal(context) === undefined
    ? context.commands.flatMap(({ name, values = [] }) =>
      values.map((value) => `${name} ${value}`)
    )
    : [];
}

/** The text, longer by what all its completions have in common. */
export function complete(
  state: DashboardState,
  text: string,
  context: DashboardContext,
): string {
  const [first, ...others] = findCompletions(text, state, context);
  if (first === undefined) return text;
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

/** The problem with words that are no command or resource type; `undefined` if they may be a type. */
export function describeUnknown(
  state: DashboardState,
  words: readonly string[],
  context: DashboardContext,
): string | undefined {
  const [first = "", second] = words;
  const types = listTypes(state, context);
  // A name with its group, or of a node whose types are not known yet, is found by the page.
  const isType = second === undefined &&
    (types.length === 0 || first.includes(".") ||
      types.includes(first.toLowerCase()));
  if (isType) return undefined;
  const names = listNames(state, context);
  const meant = nearest(words.slice(0, 2).join(" "), names) ??
    nearest(first, names);
  const unknown = second === undefined
    ? `No page, command or resource type "${first}"`
    : `No command "${words.join(" ")}"`;
  return unknown + (meant === undefined ? "" : `; did you mean "${meant}"?`);
}
