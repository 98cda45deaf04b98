/** The line the user types into: `:` for commands, `/` to filter a list or to search a text. */

import { shellWord } from "../../terminal/shell_word.ts";
import { findCommand, pageActions, splitWords, withNodes } from "./actions.ts";
import { etcd, health, type RunLine } from "./feeds/all.ts";
import { findNext, jumpTo } from "./movement.ts";
import {
  complete,
  describeUnknown,
  findCompletions,
  findPage,
  findRefusal,
} from "./completion.ts";
import { resourcesPage } from "./pages/all.ts";
import { isForeign } from "./pages/runs.ts";
import { findOrder } from "./pages/list.ts";
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
  const { kind, text, after = "" } = prompt;
  const edited = (text: string, behind = after) =>
    withText(state, kind, text, behind);
  const whole = text + after;
  switch (key) {
    case "esc":
      return kind === "filter"
        ? withPlace({ ...state, prompt: undefined }, { filter: "" })
        : { ...state, prompt: undefined, search: "" };
    case "enter":
      return submit({ ...state, prompt: undefined }, kind, whole, context);
    case "right":
      if (after !== "") {
        const [next = ""] = after;
        return edited(text + next, after.slice(next.length));
      }
      // At the end it completes, as in k9s and shells.
      /* falls through */
    case "tab":
      return kind === "command" && after === ""
        ? edited(complete(state, text, context))
        : state;
    case "left": {
      const last = [...text].at(-1) ?? "";
      return edited(text.slice(0, text.length - last.length), last + after);
    }
    case "home":
    case "ctrl-a":
      return edited("", whole);
    case "end":
    case "ctrl-e":
      return edited(whole, "");
    case "up":
      return recall(state, 1);
    case "down":
      return recall(state, -1);
    case "ctrl-u":
      return edited("");
    case "ctrl-w":
      return edited(text.replace(/\S*\s*$/, ""));
    case "backspace":
      return whole === ""
        ? { ...state, prompt: undefined }
        : edited([...text].slice(0, -1).join(""));
    default:
      // Keys with names are not text.
      return [...key].length === 1 ? edited(text + key) : state;
  }
}

/** Recalls a command that was typed before: the one before it, or after it. */
function recall(state: DashboardState, by: 1 | -1): DashboardState {
  const { prompt, history } = state;
  if (prompt?.kind !== "command") return state;
  const back = Math.min(history.length, (prompt.back ?? 0) + by);
  if (back < 0) return state;
  const text = history.at(-back) ?? "";
  return {
    ...state,
    prompt: { kind: "command", text: back === 0 ? "" : text, back },
  };
}

type PromptKind = NonNullable<DashboardState["prompt"]>["kind"];

function withText(
  state: DashboardState,
  kind: PromptKind,
  text: string,
  after: string,
): DashboardState {
  const next = { ...state, prompt: { kind, text, after } };
  // A list is filtered while the user types.
  return kind === "filter"
    ? withPlace(next, { filter: (text + after).toLowerCase() })
    : next;
}

function submit(
  state: DashboardState,
  kind: PromptKind,
  text: string,
  context: DashboardContext,
): DashboardState | undefined {
  if (kind === "filter") return state;
  if (kind === "command") {
    const typed = text.trim();
    const others = state.history.filter((one) => one !== typed);
    const history = typed === "" ? others : [...others, typed];
    return runTyped({ ...state, history }, typed, context);
  }
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
  const [first = "", second] = words;
  if (first === "") return state;
  if (first === "sort") return sortBy(state, second ?? "", context);
  if (second === undefined) {
    if (/^(?:q|q!|quit|exit)$/.test(first)) return undefined;
    if (/^(?:ctx|contexts?)$/.test(first)) {
      const { context: name = "none" } = context;
      const message = `Context: ${name}; another one needs a dashboard with ` +
        "--context NAME";
      return { ...state, message };
    }
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
  const action = pageActions(state.page).find(({ text }) => text === first);
  const started = action && startAction(state, action.key, context);
  if (started !== undefined) {
    const rest = text.slice(first.length).trim();
    // The whole command is shown before it runs.
    return started.prompt === undefined || rest === ""
      ? started
      : typeText(started, `${started.prompt.text.trimEnd()} ${rest}`);
  }
  const unknown = describeUnknown(state, words, context);
  if (unknown !== undefined) return { ...state, message: unknown };
  return jumpTo(state, resourcesPage, context, [first.toLowerCase()]);
}

const unknownNode = "The node of this row is not known";

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
  if (action.on === "run" && action.text === "resume") {
    const run = findRun(subject, context);
    if (run !== undefined && isForeign(run, { ...context, ...state })) {
      const message = `Run ${subject} belongs to cluster ${run.cluster}: ` +
        "resume it in a dashboard with --context NAME";
      return { ...state, message };
    }
  }
  const text = action.words(subject)
    .map((word) => word === "" ? "" : shellWord(word)).join(" ");
  return typeText(state, text);
}

function typeText(state: DashboardState, text: string): DashboardState {
  return { ...state, prompt: { kind: "command", text } };
}

/** Reason why a run takes no commands; `undefined` if it may take some, or is not known. */
function findEnd(
  id: string,
  context: DashboardContext,
): string | undefined {
  const run = findRun(id, context);
  const isOver = run?.next === undefined && run?.isRunning === false;
  return isOver ? `Run ${id} has finished: ${run.state}` : undefined;
}

function findRun(
  id: string,
  { data, runs }: DashboardContext,
): RunLine | undefined {
  return data.of("", runs.list).value?.find((one) => one.id === id);
}

/** Describes the typed text: the command that Enter runs, or its completions. */
export function describePrompt(
  state: DashboardState,
  context: DashboardContext,
): string {
  const { prompt } = state;
  if (prompt?.kind !== "command") return "";
  const text = prompt.text + (prompt.after ?? "");
  if (text === "") {
    return state.history.length === 0
      ? "a page, a resource type or a command; Tab completes"
      : "a page, a resource type or a command; Tab completes, Up recalls";
  }
  const words = splitWords(text);
  const isPage = words.length === 1 && findPage(words[0] ?? "") !== undefined;
  const command = isPage ? undefined : findCommand(words, context.commands);
  const longer = findCompletions(text, state, context);
  if (
    command === undefined ||
    command.values !== undefined && longer.some((one) => one !== text)
  ) {
    // Of the words before the last one, nothing is left to complete.
    const known = text.lastIndexOf(" ") + 1;
    return longer.map((one) => one.slice(known)).join("  ");
  }
  const nodes = targetNodes(state, context);
  if (withNodes(words, command, nodes) === words) {
    return `Enter runs it${describeSubject(words, context)}`;
  }
  return nodes === ""
    ? unknownNode
    : `Enter runs it on ${describeNodes(nodes.split(","), state, context)}`;
}

/** The run that a command names, or the context, for a confirmation. */
function describeSubject(
  words: readonly string[],
  { data, runs, context }: DashboardContext,
): string {
  const run = data.of("", runs.list).value?.find(({ id }) =>
    words.includes(id)
  );
  if (run !== undefined) {
    return `: ${run.runbook} on ${run.cluster}, ${run.state}`;
  }
  return context === undefined ? "" : ` in context ${context}`;
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
