import assert from "node:assert/strict";
import {
  diffTone,
  logTone,
  paintedParts,
  progressParts,
  progressTone,
  stateTone,
  type Tone,
  toneCodes,
} from "../../terminal/tone.ts";

const meanings: readonly (readonly [
  tone: (text: string) => Tone | undefined,
  text: string,
  meaning: Tone | undefined,
])[] = [
  [stateTone, "Running", "good"],
  [stateTone, "shutting down", "changing"],
  [stateTone, "Failed", "bad"],
  [stateTone, "eth0", undefined],
  [progressTone, "running", "changing"],
  [progressTone, "never-returned", "bad"],
  [progressTone, "not-reached", "muted"],
  [progressTone, "done", "good"],
  [diffTone, "  + machine:", "added"],
  [diffTone, "-a", "removed"],
  [diffTone, "@@ -1 +1 @@", "muted"],
  [diffTone, " a - b", undefined],
  [logTone, 'a: {"level":"error","msg":"x"}', "bad"],
  [logTone, "a: level=warning msg=x", "changing"],
  [logTone, "a: [DEBUG] x", "muted"],
  [logTone, "a: kern: warning: [2026] x", "changing"],
  [logTone, "a: no error here", undefined],
];

for (const [tone, text, meaning] of meanings) {
  Deno.test(`${tone.name} of "${text}" is ${meaning}`, () => {
    assert.equal(tone(text), meaning);
  });
}

for (
  const [line, expected] of [
    [
      "w-2  worker  failed   drain  5m",
      "w-2  worker  <bad failed>   drain  5m",
    ],
    [
      "  w-1   running  9s  it is done",
      "  w-1   <changing running>  9s  it is done",
    ],
    [
      "✓ preflight  ● workers 1/4  ○ end",
      "<good ✓> preflight  <changing ●> workers 1/4  <muted ○> end",
    ],
    [
      "up on prod  waiting: approval go",
      "up on prod  <changing waiting>: approval go",
    ],
  ]
) {
  Deno.test(`states and marks have their meaning in "${line}"`, () => {
    const painted = paintedParts(
      progressParts(line ?? ""),
      (text, tone) => tone === undefined ? text : `<${tone} ${text}>`,
    );
    assert.equal(painted, expected);
  });
}

/** Red, green, yellow, blue, magenta and cyan of usual palettes. */
const palettes = {
  xterm: "cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd",
  vga: "aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa",
  tango: "cc0000 4e9a06 c4a000 3465a4 75507b 06989a",
};

/** Luminance of a color, WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

for (const [name, colors] of Object.entries(palettes)) {
  Deno.test(`what is bad or changing can be read on black and white in the palette of ${name}`, () => {
    for (const code of [toneCodes.bad, toneCodes.changing]) {
      const light = luminance(colors.split(" ")[Number(code) - 31] ?? "");
      assert.ok(1.05 / (light + 0.05) >= 3, `${code} on white`);
      assert.ok((light + 0.05) / 0.05 >= 2.5, `${code} on black`);
    }
  });
}
