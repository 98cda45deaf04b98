/** The line the user types into: `:` for commands, `/` to filter a list or to search a text. */

import { shellWord } from "../../terminal/shell_word.ts";
import { findCommand, pageActions, splitWords, withNodes } from "./actions.ts";
import { etcd, health } from "./feeds/all.ts";
import { findNext, jumpTo } from "./movement.ts";
import { pages, resourcesPage } from "./pages/all.ts";
import { findOrder } from "./pages/list.ts";
import { listTypeNames } from "./pages/resources.ts";
import {
  type DashboardContext,
  type DashboardState,
  drawContent,
  selectedId,
  targetNodes,
  withPlace,
} from "./state.ts";

/** State after a key while the user types; `undefined` closes the dashboard. */
export function typeKey(
  state: DashboardState,
  key: string,
  context: DashboardContext,
): DashboardState | undefined {
  const { prompt } = state;
  if (prompt === undefined) return state;
  const { kind, text } = prompt;
  switch (key) {
    case "esc":
      return kind === "filter"
        ? withPlace({ ...state, prompt: undefined }, { filter: "" })
        : { ...state, prompt: undefined, search: "" };
    case "enter":
      return submit({ ...state, prompt: undefined }, prompt, context);
    case "tab":
      return kind === "command"
        ? withText(state, kind, complete(state, text, context))
        : state;
    case "ctrl-u":
      return withText(state, kind, "");
    case "ctrl-w":
      return withText(state, kind, text.replace(/\S*\s*$/, ""));
    case "backspace":
      return text === ""
        ? { ...state, prompt: undefined }
        : withText(state, kind, [...text].slice(0, -1).join(""));
    default:
      // Keys with names are not text.
      return [...key].length === 1 ? withText(state, kind, text + key) : state;
  }
}

type PromptKind = NonNullable<DashboardState["prompt"]>["kind"];

function withText(
  state: DashboardState,
  kind: PromptKind,
  text: string,
): DashboardState {
  const next = { ...state, prompt: { kind, text } };
  // A list is filtered while the user types.
  return kind === "filter"
    ? withPlace(next, { filter: text.toLowerCase() })
    : next;
}

function submit(
  state: DashboardState,
  { kind, text }: NonNullable<DashboardState["prompt"]>,
  context: DashboardContext,
): DashboardState | undefined {
  if (kind === "filter") return state;
  if (kind === "command") return runTyped(state, text, context);
  const search = text.toLowerCase();
  const ended = { ...state, search };
  return search === "" ? ended : findNext(ended, context, 1);
}

/** Goes to a page or a resource type, sorts, quits, or asks for a command to be run. */
function runTyped(
  state: DashboardState,
  text: string,
  context: DashboardContext,
): DashboardState | undefined {
  const words = splitWords(text);
  const [first = "", second, ...others] = words;
  if (first === "") return state;
  if (first === "sort") return sortBy(state, second ?? "", context);
  if (second === undefined) {
    if (first === "q" || first === "quit") return undefined;
    const page = findPage(first);
    if (page !== undefined) return jumpTo(state, page, context);
  }
  const command = findCommand(words, context.commands);
  if (command !== undefined) {
    const refusal = findRefusal(context);
    if (refusal !== undefined) return { ...state, message: refusal };
    const nodes = targetNodes(state, context);
    const line = withNodes(words, command, nodes);
    return nodes === "" && line !== words
      ? { ...state, message: unknownNode }
      : { ...state, command: line };
  }
  if (second !== undefined || others.length > 0) {
    return { ...state, message: `No command "${words.join(" ")}"` };
  }
  return jumpTo(state, resourcesPage, context, [first.toLowerCase()]);
}

const unknownNode = "The node of this row is not known";

function findPage(name: string) {
  return pages.find((page) => page.name.toLowerCase() === name.toLowerCase());
}

function sortBy(
  state: DashboardState,
  column: string,
  context: DashboardContext,
): DashboardState {
  const { orders } = drawContent(state, context).content;
  if (orders === undefined) return { ...state, message: "Nothing to sort" };
  if (column === "") return withPlace(state, { sort: "" });
  const found = findOrder(orders, column);
  return "problem" in found
    ? { ...state, message: found.problem }
    : withPlace(state, found);
}

/** Reason why no command can be run; `undefined` if they can. */
function findRefusal(
  { readOnly }: Pick<DashboardContext, "readOnly">,
): string | undefined {
  return readOnly === undefined
    ? undefined
    : `The dashboard is read-only: ${readOnly}`;
}

/** Types the command of an action for the user, who confirms it with Enter; absent without such an action. */
export function startAction(
  state: DashboardState,
  key: string,
  context: DashboardContext,
): DashboardState | undefined {
  const { page } = state;
  const action = pageActions(page).find((one) => one.key === key);
  if (action === undefined) return undefined;
  const refusal = findRefusal(context);
  if (refusal !== undefined) return { ...state, message: refusal };
  const subject = state.paths[page.name]?.[0] ?? selectedId(state, context) ??
    "";
  // A node could name a service like a flag.
  if (action.on === page.subject && !/^\w/.test(subject)) {
    return { ...state, message: `There is no ${action.on} to ${action.text}` };
  }
  const ended = action.on === "run" ? findEnd(subject, context) : undefined;
  if (ended !== undefined) return { ...state, message: ended };
  const text = action.words(subject)
    .map((word) => word === "" ? "" : shellWord(word)).join(" ");
  return { ...state, prompt: { kind: "command", text } };
}

/** Reason why a run takes no commands; `undefined` if it may take some, or is not known. */
function findEnd(
  id: string,
  { data, runs }: DashboardContext,
): string | undefined {
  const run = data.of("", runs.list).value?.find((one) => one.id === id);
  const isOver = run?.next === undefined && run?.isRunning === false;
  return isOver ? `Run ${id} has finished: ${run.state}` : undefined;
}

/** Describes the typed text: the command that Enter runs, or its completions. */
export function describePrompt(
  state: DashboardState,
  context: DashboardContext,
): string {
  const { prompt } = state;
  if (prompt?.kind !== "command") return "";
  if (prompt.text === "") {
    return "a page, a resource type or a command; Tab completes";
  }
  const words = splitWords(prompt.text);
  const isPage = words.length === 1 && findPage(words[0] ?? "") !== undefined;
  const command = isPage ? undefined : findCommand(words, context.commands);
  if (command !== undefined) {
    const nodes = targetNodes(state, context);
    if (withNodes(words, command, nodes) === words) return "Enter runs it";
    return nodes === ""
      ? unknownNode
      : `Enter runs it on ${describeNodes(nodes.split(","), state, context)}`;
  }
  return findCompletions(prompt.text, state, context).join("  ");
}

/** Nodes for a confirmation: `worker-1 (10.0.0.5)`, `2 nodes: worker-1, worker-2`. */
function describeNodes(
  nodes: readonly string[],
  state: DashboardState,
  { data }: DashboardContext,
): string {
  const members = data.of(state.nodes[state.node] ?? "", etcd).value?.members;
  const names = nodes.map((node) =>
    data.of(node, health).value?.hostname ??
      members?.find(({ address }) => address === node)?.hostname
  );
  const [node = "", ...others] = nodes;
  if (others.length === 0) return names[0] ? `${names[0]} (${node})` : node;
  const list = nodes.map((node, at) => names[at] || node).join(", ");
  return `${nodes.length} nodes: ${list}`;
}

function findCompletions(
  text: string,
  state: DashboardState,
  context: DashboardContext,
): readonly string[] {
  const { own, content: { orders = [] } } = drawContent(state, context);
  const known = [
    ...pages.map(({ name }) => name.toLowerCase()),
    ...text.startsWith("sort ")
      ? orders.map((order) => `sort ${order.toLowerCase()}`)
      : ["sort ", "quit"],
    ...findRefusal(context) === undefined
      ? context.commands.map(({ name }) => name)
      : [],
    ...listTypeNames(own),
  ];
  return known.filter((one) => one.startsWith(text.toLowerCase()));
}

/** The text, longer by what all its completions have in common. */
function complete(
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
