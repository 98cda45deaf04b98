import assert from "node:assert/strict";
import type { Environment } from "../../../terminal/environment.ts";
import { readSource } from "../../../commands/_configure/source.ts";
import { CancelledError } from "../../../errors.ts";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const merge = "machine: {type: worker}";

const bounds = { limitMib: 1, expected: "a poem" };

function stdinContext(readable: ReadableStream<Uint8Array>) {
  const environment = {
    stdin: { terminal: false, readable },
  } as unknown as Environment;
  return { environment, signal: new AbortController().signal };
}

function chunks(...parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(parts);
}

Deno.test("readSource takes no more from standard input than it may", async () => {
  let taken = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken++;
      controller.enqueue(new Uint8Array(512 * 1024));
    },
  });
  await assert.rejects(readSource("-", stdinContext(endless), bounds), {
    message: 'Cannot read "standard input": it is larger than 1 MiB',
    hint: "Give a poem",
  });
  assert.ok(taken < 6, `${taken} chunks`);
});

Deno.test("readSource converts UTF-16, and says so", async () => {
  const bytes = new Uint8Array(
    new Uint16Array([0xfeff, 97, 58, 32, 228]).buffer,
  );
  const notes: string[] = [];
  const context = {
    ...stdinContext(chunks(bytes)),
    note: (text: string) => void notes.push(text),
  };
  assert.equal((await readSource("-", context, bounds)).text, "a: \u00e4");
  assert.deepEqual(notes, ["standard input is UTF-16; nodes take UTF-8"]);
});

Deno.test("readSource stops waiting when the user interrupts", async () => {
  const stop = new AbortController();
  const silent = stdinContext(new ReadableStream());
  const reading = readSource("-", { ...silent, signal: stop.signal }, bounds);
  stop.abort(new CancelledError());
  await assert.rejects(reading, new CancelledError());
});

Deno.test("every command that reads a machine configuration says what else a file is", () => {
  const inputs = {
    "empty.yaml": "# nothing\n",
    "resource.yaml": "node: a\nmetadata: {id: v1alpha1}\nspec: 'machine: {}'\n",
    "patch.yaml": "- {op: add, path: /machine/x, value: y}\n",
    "schematic.yaml": "customization: {systemExtensions: {}}\n",
    "kubeconfig": "apiVersion: v1\nkind: Config\nclusters: []\n",
    "osconfig": "context: a\ncontexts: {a: {endpoints: [a]}}\n",
  };
  const said: Readonly<Record<keyof typeof inputs, RegExp>> = {
    "empty.yaml": /it is empty|There is no document/,
    "resource.yaml":
      /This is a resource, as osctl get prints it, not a machine/,
    "patch.yaml": /This is a JSON patch, not a machine configuration/,
    "schematic.yaml": /This is an image factory schematic, not a machine/,
    "kubeconfig": /This is a kubeconfig, not a machine configuration/,
    "osconfig": /This is a client configuration, not a machine configuration/,
  };
  return withFolder({ ...inputs, "c.yaml": merge }, async (folder) => {
    for (const [name, pattern] of Object.entries(said)) {
      const file = `${folder}/${name}`;
      for (
        const line of [
          `validate -m metal -c ${file}`,
          `machineconfig patch ${file} -p ${folder}/c.yaml`,
          `machineconfig diff ${file} ${folder}/c.yaml`,
          `machineconfig diff ${folder}/c.yaml ${file}`,
          `machineconfig diff ${file} --live -n a`,
          `apply-config -n a -f ${file} --dry-run`,
          `airgap images ${file}`,
          `gen secrets --from-controlplane-config ${file} -o -`,
        ]
      ) {
        const { out, err, status } = await run(line);
        assert.match(err, pattern, line);
        assert.equal(status, 2, line);
        if (!line.startsWith("validate")) assert.equal(out, "", line);
      }
    }
  });
});
