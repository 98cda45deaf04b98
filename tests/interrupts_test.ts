import assert from "node:assert/strict";
import { needs, posix } from "./_needs.ts";
import { startScript } from "./_script.ts";

const root = new URL("../", import.meta.url);

/** A program that listens to SIGINT, prints a line, and then computes. */
async function interrupt(computation: string) {
  const script = `
    import { computing, onInterrupt, keepInterruptHandler } from "${root}interrupts.ts";
    import { openYaml } from "${root}config/yaml/yaml_document.ts";
    import { readDocuments } from "${root}config/tree/read.ts";
    import { parseSpec } from "${root}transport/node/resource_yaml.ts";
    import { inParts } from "${root}lib/timer.ts";
    void [computing, keepInterruptHandler, openYaml, readDocuments, parseSpec, inParts];
    const heard = Promise.withResolvers();
    const say = (text) => Deno.stdout.writeSync(new TextEncoder().encode(text + "\\n"));
    onInterrupt(["SIGINT"], () => heard.resolve("heard"));
    const long = 'key: "' + "a ".repeat(200_000) + '"\\n';
    const forever = (work) => {
      work();
      say("computing");
      for (const end = performance.now() + 20_000; performance.now() < end;) work();
    };
    const spin = (ms) => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    };
    ${computation}
    say(await heard.promise);
    Deno.exit(0);
  `;
  const child = await startScript(script);
  let text = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (text === "") child.kill("SIGINT");
    text += part;
  }
  const { signal } = await child.status;
  return { text, signal };
}

Deno.test({
  name: "an interrupt ends a process in the middle of a long computation",
  ...needs(posix),
  async fn() {
    for (
      const computation of [
        "forever(() => openYaml(long, 'a file'));",
        "forever(() => readDocuments(long, 'a file'));",
        "forever(() => parseSpec(long));",
        "await inParts((function* () { forever(() => {}); yield; })());",
        // It is heard of while the loop turns, and ends the process when it does not.
        "computing(); await new Promise((done) => setTimeout(done, 1)); computing(); forever(() => {});",
      ]
    ) {
      const { text, signal } = await interrupt(computation);
      assert.deepEqual({ text, signal }, {
        text: "computing\n",
        signal: "SIGINT",
      }, computation);
    }
  },
});

Deno.test({
  name:
    "an interrupt takes effect after a computation that must not be interrupted",
  ...needs(posix),
  async fn() {
    for (
      const computation of [
        "keepInterruptHandler(); computing(); say('computing'); spin(200);",
        // Interrupts of the same turn count at once.
        "computing(); keepInterruptHandler(); say('computing'); spin(200);",
        "computing(); await new Promise((done) => setTimeout(done, 1)); say('computing'); spin(200);",
      ]
    ) {
      const { text, signal } = await interrupt(computation);
      assert.deepEqual({ text, signal }, {
        text: "computing\nheard\n",
        signal: null,
      }, computation);
    }
    const { signal } = await interrupt(
      "const end = keepInterruptHandler(); end(); end(); computing(); forever(() => {});",
    );
    assert.equal(signal, "SIGINT");
  },
});
