import { keyMap, type KeyMeaning } from "./key_map.ts";
import {
  beside,
  findNext,
  followEnd,
  leavePage,
  markNode,
  moveBy,
  openLogs,
  openRow,
  openYaml,
  otherLog,
  otherNode,
  toggleText,
} from "./movement.ts";
import { pages } from "./pages/all.ts";
import { nextOrder } from "./pages/list.ts";
import { startAction, typeKey } from "./prompt.ts";
import {
  type DashboardContext,
  type DashboardState,
  drawContent,
  goTo,
  withPlace,
} from "./state.ts";

/** State after a key; `undefined` closes the dashboard. `key`: its name. */
export function press(
  state: DashboardState,
  key: string,
  context: DashboardContext,
): DashboardState | undefined {
  const calm = {
    ...state,
    message: "",
    messageStyle: undefined,
    messageUntil: undefined,
    command: undefined,
  };
  if (state.prompt !== undefined) return typeKey(calm, key, context);
  const page = pages.find(({ keys }) => keys.includes(key));
  if (page !== undefined) return goTo(calm, page, context);
  const started = startAction({ ...calm, showsHelp: false }, key, context);
  if (started !== undefined) return started;
  const name = key === " " ? "space" : key;
  const { kind } = drawContent(calm, context).content;
  const meaning = keyMap.find(({ keys, on = [kind] }) =>
    keys.includes(name) && on.includes(kind)
  )?.meaning;
  if (meaning === "quit") return undefined;
  if (meaning === undefined) return pressOther(calm, key, context);
  if (meaning === "help") return { ...calm, showsHelp: !state.showsHelp };
  if (state.showsHelp && meaning !== "command" && !scrolls.has(meaning)) {
    return { ...calm, showsHelp: false };
  }
  return acts[meaning](calm, context);
}

/** A capital letter sorts a list; of other keys, the message says that they do nothing. */
function pressOther(
  state: DashboardState,
  key: string,
  context: DashboardContext,
): DashboardState {
  // Others, such as Enter, are expected to do nothing in some places.
  if (!/^(?:ctrl-)?\S$/u.test(key)) return state;
  const { content: { orders = [] }, own } = drawContent(state, context);
  const order = /^[A-Z]$/.test(key)
    ? orders.find((order) => order.replace(/^-/, "").startsWith(key))
    : undefined;
  if (order === undefined) {
    return { ...state, message: `${key} does nothing here; ? lists the keys` };
  }
  return withPlace(state, {
    sort: own.place.sort === order ? reverseOrder(order) : order,
  });
}

function reverseOrder(order: string): string {
  return order.startsWith("-") ? order.slice(1) : `-${order}`;
}

type Act = (state: DashboardState, context: DashboardContext) => DashboardState;

const acts: Readonly<Record<Exclude<KeyMeaning, "help" | "quit">, Act>> = {
  "previous-node": (state) => otherNode(state, -1),
  "next-node": (state) => otherNode(state, 1),
  up: (state, context) => moveBy(state, context, () => -1),
  down: (state, context) => moveBy(state, context, () => 1),
  "half-up": (state, context) =>
    moveBy(state, context, (height) => -half(height)),
  "half-down": (state, context) => moveBy(state, context, half),
  "page-up": (state, context) => moveBy(state, context, (height) => -height),
  "page-down": (state, context) => moveBy(state, context, (height) => height),
  "wheel-up": (state, context) => moveBy(state, context, () => -3),
  "wheel-down": (state, context) => moveBy(state, context, () => 3),
  top: (state, context) => moveBy(state, context, () => -Infinity),
  bottom: (state, context) => moveBy(state, context, () => Infinity),
  enter: openRow,
  logs: openLogs,
  yaml: openYaml,
  refresh: (state) => ({
    ...state,
    refreshes: state.refreshes + 1,
    message: "All data is requested again",
  }),
  leave: leavePage,
  mark: markNode,
  slash(state, context) {
    const { content, own } = drawContent(state, context);
    const prompt = content.kind === "list"
      ? { kind: "filter", text: own.place.filter } as const
      : { kind: "search", text: "" } as const;
    return { ...state, prompt };
  },
  command: (state) => ({
    ...state,
    showsHelp: false,
    prompt: { kind: "command", text: "" },
  }),
  "next-match": (state, context) => findNext(state, context, 1),
  "previous-match": (state, context) => findNext(state, context, -1),
  "next-order": (state, context) => sortBeside(state, context, 1),
  "previous-order": (state, context) => sortBeside(state, context, -1),
  "reverse-order"(state, context) {
    const { sort } = drawContent(state, context).own.place;
    if (sort === "") return { ...state, message: "Sort with < and >" };
    return withPlace(state, { sort: reverseOrder(sort) });
  },
  "next-page": (state, context) => beside(state, context, 1),
  "previous-page": (state, context) => beside(state, context, -1),
  "previous-log": (state, context) => otherLog(state, context, -1),
  "next-log": (state, context) => otherLog(state, context, 1),
  follow: followEnd,
  wrap: (state, context) => toggleText(state, context, "wraps"),
  times: (state, context) => toggleText(state, context, "hidesTimes"),
};

const scrolls: ReadonlySet<KeyMeaning> = new Set<KeyMeaning>([
  "up",
  "down",
  "half-up",
  "half-down",
  "page-up",
  "page-down",
  "wheel-up",
  "wheel-down",
  "top",
  "bottom",
]);

function half(height: number): number {
  return Math.max(1, height >> 1);
}

function sortBeside(
  state: DashboardState,
  context: DashboardContext,
  by: number,
): DashboardState {
  const { content, own } = drawContent(state, context);
  return content.orders === undefined
    ? { ...state, message: "Nothing to sort" }
    : withPlace(state, { sort: nextOrder(content.orders, own.place.sort, by) });
}
