/** Decodes keys and mouse events of terminals. */

interface KeySplitter {
  /** Adds input. Returns the complete keys; an escape sequence is one key. */
  readonly take: (text: string) => readonly string[];
  /** True while a key is incomplete: Escape alone, or the first part of a sequence. */
  readonly waits: () => boolean;
  /** Stops waiting. Returns the incomplete input as keys. */
  readonly flush: () => readonly string[];
}

/** A function key of the Linux console, a control sequence, a key of the keypad, or a single character. */
// deno-lint-ignore no-control-regex
const key = /\x1b\[\[[A-E]|\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[ -~]|[^]/gu;

/** An incomplete sequence. */
// deno-lint-ignore no-control-regex
const unfinished = /\x1b(?:\[\[?|\[[0-?]+[ -/]*|O)?$/;

/** Longest sequence in characters; longer input is not a sequence. */
const longest = 64;

/** Creates a splitter. */
export function keySplitter(): KeySplitter {
  let rest = "";

  function keysIn(text: string): readonly string[] {
    // In application mode, terminals send arrows with an O.
    return (text.match(key) ?? []).map((one) =>
      /O[A-DFH]$/.test(one) && one.length === 3 ? `\x1b[${one.at(-1)}` : one
    );
  }

  return {
    take(text) {
      const all = rest + text;
      const at = all.search(unfinished);
      const isShort = at >= 0 && all.length - at <= longest;
      rest = isShort ? all.slice(at) : "";
      return keysIn(isShort ? all.slice(0, at) : all);
    },
    waits: () => rest !== "",
    flush() {
      const keys = keysIn(rest);
      rest = "";
      return keys;
    },
  };
}

/** Key names by sequence; terminals differ. */
const names: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x1b": "esc",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[C": "right",
  "\x1b[D": "left",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1b[5~": "page-up",
  "\x1b[6~": "page-down",
  "\x1b[Z": "shift-tab",
  "\x1bOP": "f1",
  "\x1bOQ": "f2",
  "\x1bOR": "f3",
  "\x1bOS": "f4",
  "\x1b[[A": "f1",
  "\x1b[[B": "f2",
  "\x1b[[C": "f3",
  "\x1b[[D": "f4",
  "\x1b[[E": "f5",
  "\x1b[11~": "f1",
  "\x1b[12~": "f2",
  "\x1b[13~": "f3",
  "\x1b[14~": "f4",
  "\x1b[15~": "f5",
  "\x1b[17~": "f6",
  "\x1b[18~": "f7",
  "\x1b[19~": "f8",
  "\x1b[20~": "f9",
  "\x1b[21~": "f10",
};

/** Buttons of SGR mouse reports (xterm, mode 1006). */
const buttons: Readonly<Record<string, string>> = {
  "64": "wheel-up",
  "65": "wheel-down",
};

/**
 * Names a key: `up`, `enter`, `ctrl-d`, `f1`, `wheel-down`, a character as itself.
 *
 * @param sent Sequence from {@linkcode KeySplitter}.
 * @returns Empty for unnamed keys and events, such as a click.
 */
export function keyName(sent: string): string {
  const known = Object.hasOwn(names, sent) ? names[sent] : undefined;
  if (known !== undefined) return known;
  // deno-lint-ignore no-control-regex
  const mouse = /^\x1b\[<(\d+);\d+;\d+M$/.exec(sent)?.[1];
  if (mouse !== undefined) return buttons[mouse] ?? "";
  const code = sent.charCodeAt(0);
  if (sent.length === 1 && code >= 1 && code <= 26) {
    return `ctrl-${String.fromCharCode(code + 96)}`;
  }
  return code < 32 ? "" : sent;
}
