import { locateRuns } from "../../config/osconfig/location.ts";
import { UsageError } from "../../errors.ts";
import {
  eventsPath,
  readEvents,
} from "../../workflows/runbooks/store/event_file.ts";
import {
  conditionReader,
  type RunMoment,
} from "../../workflows/runbooks/store/run_condition.ts";
import {
  leaveMessage,
  type Message,
} from "../../workflows/runbooks/store/inbox.ts";
import { senderNow } from "../../workflows/runbooks/run/send_message.ts";
import {
  inCondition,
  type RunShown,
  RunState,
} from "../../workflows/runbooks/report/run_state.ts";
import {
  draw,
  press,
  type WatchAction,
  type WatchState,
} from "../../workflows/runbooks/report/watch_screen.ts";
import {
  formatStep,
  type StepWords,
} from "../../workflows/runbooks/report/activity.ts";
import type { RunEvent } from "../../workflows/runbooks/event.ts";
import { showFullScreen } from "../../terminal/full_screen.ts";
import { colorDepth } from "../../terminal/screen_line.ts";
import { type Command, type Context, lines, type Values } from "../_kit/mod.ts";
import { optionalRunWord, readNamed } from "./_flags/run_argument.ts";

const inputs = { run: optionalRunWord };

type RunWatchInputs = Values<typeof inputs>;

export const command = {
  summary: "Watch and control a run in full screen",
  description:
    `Shows a run of this machine, the most urgent nodes first. Keys: j and k or the arrows select a node, Enter shows its
steps, evidence and log, Esc goes back; a approves and r refuses the open approval, x skips the node's current step, s
stops the run at the next safe point, q quits. Quitting does not stop the run.

Answer destructive approvals with "osctl runbook approve".`,
  inputs,
  examples: ["runbook watch", "runbook watch 20261120-7k2f"],
  output: "own",
  view: lines(() => ""),
  run: watch,
} satisfies Command<never, RunWatchInputs>;

/** Redraw interval, in milliseconds. */
const everyMs = 250;

// Output is only on the screen.
// deno-lint-ignore require-yield
async function* watch(
  { input, globals, environment, signal }: Context<RunWatchInputs>,
): AsyncGenerator<never> {
  if (environment.screen === undefined) {
    throw new UsageError(
      "Cannot watch a run: there is no terminal to draw on",
      {
        hint: "Use: osctl runbook status --watch",
      },
    );
  }
  const { folder, header } = await readNamed(input.run, environment);
  const read = conditionReader(locateRuns(environment.env), header.id);
  const left = new AbortController();
  const until = AbortSignal.any([signal, left.signal]);
  const events: RunEvent[] = [];
  const state = new RunState();
  const actions: WatchAction[] = [];
  let failure: unknown;
  const following = follow().catch((error) => void (failure = error));

  async function follow(): Promise<void> {
    // Another process may resume the run.
    const goesOn = () => Promise.resolve(true);
    const follow = { goesOn, signal: until };
    for await (const event of readEvents(eventsPath(folder), follow)) {
      // Another process starts with its own plan.
      if (event.type === "run.planned") events.length = 0;
      events.push(event);
      state.take(event);
    }
  }

  async function load(): Promise<(before: WatchState) => WatchState> {
    if (failure !== undefined) throw failure;
    const moment = await read();
    const messages: string[] = [];
    for (const action of actions.splice(0)) {
      messages.push(await sendAction(action));
    }
    const run = shownIn(moment);
    const [message] = messages;
    return (before) => ({
      ...before,
      run,
      events,
      words: state.words(),
      isRunning: moment.at === undefined,
      ...message === undefined ? {} : { message },
    });
  }

  function shownIn(moment: RunMoment): RunShown {
    const { id, runbook, cluster } = header;
    const named = { run: id, runbook, cluster: cluster.name };
    return inCondition({ ...state.shown(), ...named }, moment);
  }

  async function sendAction(action: WatchAction): Promise<string> {
    await leaveMessage(folder, toMessage(action));
    return describeAction(action, state.words());
  }

  function toMessage(action: WatchAction): Message {
    const reason = action.kind === "skip" ? action.reason : undefined;
    const sender = senderNow(environment, reason);
    switch (action.kind) {
      case "stop":
        return { ...sender, type: "stop", hard: false };
      case "answer": {
        const { tag, approved } = action;
        return { ...sender, type: "approve", tag, approved };
      }
      case "skip": {
        const { path, node } = action;
        const where = node === undefined ? {} : { node };
        const verdict = "skip";
        return { ...sender, type: "decision", verdict, path, ...where };
      }
    }
  }

  try {
    const moment = await read();
    await showFullScreen<WatchState>({
      initial: {
        run: shownIn(moment),
        events,
        instances: state.instances,
        words: state.words(),
        isRunning: moment.at === undefined,
        node: "",
        isOpen: false,
        message: "",
      },
      everyMs,
      load,
      press(before, key) {
        const next = press(before, key);
        if (next?.action === undefined) return next;
        actions.push(next.action);
        return { ...next, action: undefined };
      },
      draw: (shown, size) => draw(shown, size, environment.now().getTime()),
    }, { environment, signal, depth: colorDepth(globals.color, environment) });
  } finally {
    left.abort();
    await following;
  }
}

function describeAction(action: WatchAction, words: StepWords): string {
  switch (action.kind) {
    case "stop":
      return "The run stops at the next safe point";
    case "answer":
      return `"${action.tag}" is ${action.approved ? "approved" : "refused"}`;
    case "skip":
      return `"${formatStep(action.path, words)}" is skipped`;
  }
}
