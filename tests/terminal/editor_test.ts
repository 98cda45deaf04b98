import assert from "node:assert/strict";
import { chooseEditor } from "../../terminal/editor.ts";
import { OsctlError } from "../../errors.ts";

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
    editor({ EDITOR: "false" }).edit("x"),
    (error) =>
      error instanceof OsctlError &&
      error.message === 'The editor "false" exited with status 1',
  );
  await assert.rejects(
    editor({ EDITOR: "no-such-editor-here 2>/dev/null" }, "windows").edit("x"),
    (error) =>
      error instanceof OsctlError &&
      error.message === 'Cannot find the editor "no-such-editor-here"',
  );
});
