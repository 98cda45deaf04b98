import { locateRuns } from "../config/osconfig/location.ts";
import { formatDuration } from "../lib/duration.ts";
import { exitStatus, UsageError } from "../errors.ts";
import { showFullScreen } from "../terminal/full_screen.ts";
import { keyName } from "../terminal/keys.ts";
import { colorDepth } from "../terminal/screen_line.ts";
import { pause } from "../lib/pause.ts";
import { runFeeds } from "../workflows/dashboard/feeds/all.ts";
import { draw } from "../workflows/dashboard/frame.ts";
import { keyMap, sortLetters } from "../workflows/dashboard/key_map.ts";
import { pages } from "../workflows/dashboard/pages/all.ts";
import { createSource } from "../workflows/dashboard/source.ts";
import { actions, isSilent } from "../workflows/dashboard/actions.ts";
import { press } from "../workflows/dashboard/press.ts";
import {
  type DashboardState,
  firstState,
  listNeeds,
} from "../workflows/dashboard/state.ts";
import {
  type AnyCommand,
  type Context,
  duration,
  silently,
  type Size,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";
import {
  commandRunner,
  findReadOnlyRole,
  listCommands,
} from "./_dashboard_command.ts";
import { chosenContext } from "./_session/osconfig.ts";

const inputs = {
  updateInterval: duration("time between updates", {
    short: "d",
    initial: "3s",
  }),
  readOnly: toggle("run no commands"),
  ...maintenanceInputs,
};

type DashboardInputs = Values<typeof inputs>;

const pageList = pages
  .map(({ keys: [key = ""], name, text }) =>
    `    ${key.toUpperCase().padEnd(14)}${name}: ${text}`
  ).join("\n");

const actionList = actions
  .map(({ key, text, on, words }) =>
    `    ${key.padEnd(14)}${text}${on === "any" ? "" : ` (${on})`}: ${
      ["osctl", ...words("ID")].join(" ").trim()
    }`
  ).join("\n");

const keyList = [...keyMap, sortLetters]
  .map(({ shown, text }) => `    ${shown.padEnd(14)}${text}`).join("\n");

export const command: AnyCommand = silently<DashboardInputs>({
  summary: "Show nodes in full screen, with logs and metrics",
  description:
    `A node that is down is shown as down until it answers again. Only data on the screen is requested. With several
nodes the Nodes page opens first, otherwise Summary.

Pages, also with Tab and the digits:

${pageList}

Keys of actions type an osctl command for the selected row, or for the node of the page. Add flags if needed; Enter runs
the command on the normal screen, with its safety rules, questions and journal. Then any key returns to the dashboard:

${actionList}

After ":" you can type the name of a page, a resource type (":members"), "sort COLUMN" or "sort -COLUMN", or any command
of osctl, such as ":logs kubelet --tail 20"; Tab completes. Commands act on the selected node or the marked nodes, unless
you name others. With --read-only, with a client certificate of the role os:reader, and with --insecure, no command can
be run.

"/" filters lists by a text or regular expression while you type, and searches in texts and logs; "/!text" hides lines
that match.

Keys:

${keyList}

Ctrl-z suspends. To select text with the mouse, hold Shift. With --insecure it shows a node in maintenance mode.`,
  noStep: "it is for terminals",
  inputs,
  examples: [
    "dashboard --nodes @all",
    "dashboard --nodes 10.0.0.2 --update-interval 1s",
    "dashboard --insecure --nodes 10.0.0.9",
  ],
  work: show,
});

/** Minimum update interval, in milliseconds. */
const leastMs = 100;

/** Redraw interval without changes other than the clock, in milliseconds. */
const tickMs = 1_000;

/** How long the result of a command is shown in place of the keys, in milliseconds. */
const resultMs = 5_000;

async function show(
  context: Context<DashboardInputs>,
): Promise<void> {
  const { input, globals, nodes, environment } = context;
  const { updateInterval: everyMs } = input;
  if (everyMs < leastMs) {
    throw new UsageError(
      `Invalid value "${
        formatDuration(everyMs)
      }" for --update-interval: must be at least ${formatDuration(leastMs)}`,
    );
  }
  if (environment.screen === undefined) {
    throw new UsageError(
      "Cannot show the dashboard: there is no terminal to draw on",
      {
        hint: "Use: osctl health, osctl stats, osctl get machinestatus",
      },
    );
  }
  const { screen } = environment;
  // Selectors print the nodes they resolve to on standard error.
  const names = await nodes.names();
  const runs = runFeeds(locateRuns(environment.env));
  const due = waker();
  const now = () => environment.now().getTime();
  const source = createSource({
    nodes: names,
    at: (node, signal) => nodes.at(node || (names[0] ?? ""), signal),
    everyMs,
    now,
    changed: due.wake,
  });
  const chosen = input.insecure ? undefined : await chosenContext(context);
  const readOnly = input.readOnly
    ? "it was started with --read-only"
    : chosen === undefined
    ? "the node is in maintenance mode"
    : findReadOnlyRole(chosen);
  const commands = listCommands(context);
  const runner = await commandRunner(context);
  const siteAt = (size: Size) => ({
    data: source,
    runs,
    commands,
    context: chosen?.name,
    readOnly,
    size,
    now: now(),
  });
  try {
    await showFullScreen<DashboardState>({
      initial: firstState(names, input.insecure),
      everyMs: tickMs,
      load: () => Promise.resolve((state) => state),
      press: (state, key) => press(state, keyName(key), siteAt(screen.size())),
      outside: (state) =>
        state.command && (async () => {
          const { command = [] } = state;
          const { status, message } = await runner.run(command);
          const isGood = status === exitStatus.ok;
          return {
            ...state,
            command: undefined,
            message,
            messageStyle: isGood ? "good" : "bad",
            messageUntil: now() + resultMs,
            isDone: isGood && isSilent(command),
          };
        }),
      returns: ({ isDone = false }) => isDone,
      draw(state, size) {
        runner.back();
        const site = siteAt(size);
        // Only data on the screen is requested.
        source.want(listNeeds(state, site), state.refreshes);
        return draw(state, site);
      },
      mouse: true,
    }, {
      environment,
      signal: AbortSignal.any([context.signal, runner.signal]),
      wait: due.wait,
      depth: colorDepth(globals.color, environment),
    });
  } finally {
    await source.close();
  }
  runner.signal.throwIfAborted();
}

/** Waits that end early on new data, at a limited rate. */
function waker() {
  let isDue = false;
  let wake = () => {};
  return {
    wake() {
      isDue = true;
      wake();
    },
    async wait(ms: number, signal: AbortSignal): Promise<void> {
      await pause(leastMs, signal);
      if (!isDue) {
        const early = new AbortController();
        wake = () => early.abort();
        await pause(ms - leastMs, AbortSignal.any([signal, early.signal]));
        wake = () => {};
      }
      isDue = false;
    },
  };
}
