import assert from "node:assert/strict";
import {
  diffTone,
  logTone,
  paintedParts,
  progressParts,
  progressTone,
  stateTone,
  type Tone,
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
