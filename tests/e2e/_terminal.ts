/** A terminal that a test types into, by tmux. */

import type { Size } from "../../terminal/environment.ts";

/** A terminal with a program in it. */
export interface Terminal {
  /** Types text; named keys such as `Tab` and `Enter` stand alone. */
  readonly type: (...keys: readonly string[]) => Promise<void>;
  /** Waits until the screen shows what is expected, and returns it; fails before the test's time is up. */
  readonly shows: (expected: RegExp) => Promise<string>;
  /** Changes the size, as a person does who drags the corner of a window. */
  readonly resize: (size: Size) => Promise<void>;
  readonly asks: (format: string) => Promise<string>;
  /** All lines, those that have left the screen at its top included; wrapped ones are one again. */
  readonly all: () => Promise<readonly string[]>;
  readonly captures: (...flags: readonly string[]) => Promise<string>;
}

/** Keys that tmux knows by name. */
const named =
  /^(B?Tab|Enter|Escape|Up|Down|Left|Right|Home|End|BSpace|[NP]Page|F\d+|C-[a-z])$/;

/**
 * Runs a test in a terminal.
 *
 * @param command Program and arguments.
 * @param env Environment to add.
 * @param test What to type and to see.
 * @param size Size of the terminal, default 100 by 30.
 */
export async function withTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  test: (terminal: Terminal) => Promise<void>,
  size: Size = { columns: 100, rows: 30 },
): Promise<void> {
  const socket = `osctl-test-${crypto.randomUUID()}`;
  const tmux = async (...args: string[]) => {
    const { stdout } = await new Deno.Command("tmux", {
      args: ["-L", socket, "-f", "/dev/null", ...args],
      env: { ...env, TERM: "screen" },
    }).output();
    return new TextDecoder().decode(stdout);
  };
  const pass = Object.entries(env).flatMap((
    [key, value],
  ) => ["-e", `${key}=${value}`]);
  await tmux(
    "new-session",
    "-d",
    "-x",
    `${size.columns}`,
    "-y",
    `${size.rows}`,
    ...pass,
    ...command,
  );
  try {
    await test({
      async type(...keys) {
        for (const key of keys) {
          await (named.test(key)
            ? tmux("send-keys", key)
            : tmux("send-keys", "-l", "--", key));
        }
      },
      async resize({ columns, rows }) {
        await tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`);
      },
      async asks(format) {
        return (await tmux("display-message", "-p", format)).trim();
      },
      captures: (...flags) => tmux("capture-pane", "-p", ...flags),
      async all() {
        const text = await tmux("capture-pane", "-p", "-J", "-S", "-");
        return text.trimEnd().split("\n").map((line) => line.trimEnd());
      },
      async shows(expected) {
        const deadline = performance.now() + 50_000;
        let screen = "";
        while (performance.now() < deadline) {
          screen = await tmux("capture-pane", "-p");
          if (expected.test(screen)) return screen;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        throw new Error(`The screen never showed ${expected}:\n${screen}`);
      },
    });
  } finally {
    await tmux("kill-server");
  }
}
