import assert from "node:assert/strict";
import { chooseEditor } from "../../terminal/editor.ts";
import { CancelledError, OsctlError } from "../../errors.ts";
import { exists } from "../../lib/files/exists.ts";
import { pause } from "../../lib/pause.ts";
import { withFolder } from "../_folder.ts";
import { needs, posix } from "../_needs.ts";

const { signal } = new AbortController();

function editor(env: Readonly<Record<string, string>>, os = "linux") {
  return chooseEditor({ env: (name) => env[name], os });
}

Deno.test("the editor is the one of osctl, else that of the environment, else the system's", () => {
  const env = { OS_EDITOR: "a", EDITOR: "b", VISUAL: "c" };
  assert.equal(editor(env).command, "a");
  assert.equal(editor({ ...env, OS_EDITOR: "" }).command, "b");
  assert.equal(editor({ VISUAL: "c" }).command, "c");
  assert.equal(editor({}).command, "vi");
  assert.equal(editor({}, "windows").command, "notepad");
});

Deno.test("an editor that fails is named", async () => {
  await assert.rejects(
    editor({ EDITOR: "false" }).edit("x", signal),
    (error) =>
      error instanceof OsctlError &&
      error.message === 'The editor "false" exited with status 1',
  );
  await assert.rejects(
    editor({ EDITOR: "no-such-editor-here 2>/dev/null" }, "windows")
      .edit("x", signal),
    (error) =>
      error instanceof OsctlError &&
      error.message === 'Cannot find the editor "no-such-editor-here"',
  );
});

Deno.test("editors that wait for keys are known", () => {
  for (const command of ["vi", "/usr/bin/vim -u NONE", "nano"]) {
    assert.ok(editor({ EDITOR: command }).needsTerminal, command);
  }
  for (const command of ["code --wait", "sh edit.sh", "true"]) {
    assert.ok(!editor({ EDITOR: command }).needsTerminal, command);
  }
});

Deno.test({
  name: "a terminated osctl ends the editor, an interrupted one does not",
  ...needs(posix),
  fn: () =>
    withFolder(
      { "wait.sh": 'echo > "$1"\nexec sleep "$2"\n' },
      async (folder) => {
        for (const name of ["SIGTERM", "SIGINT"] as const) {
          const path = `${folder}/${name}`;
          const stop = new AbortController();
          const seconds = name === "SIGTERM" ? 50 : 0.2;
          const { edit } = editor({
            EDITOR: `sh ${folder}/wait.sh ${path} ${seconds}`,
          });
          const editing = edit(path, stop.signal).catch((error) => error);
          while (!await exists(path)) await pause(5);
          stop.abort(new CancelledError(name));
          const error = await editing;
          assert.equal(error instanceof OsctlError, name === "SIGTERM");
        }
      },
    ),
});
