import assert from "node:assert/strict";
import fc from "fast-check";
import {
  checkLinkText,
  checkName,
  fileMode,
  folderMode,
} from "../../../lib/archive/entry_check.ts";

Deno.test("checkName gives the names from the folder down", () => {
  assert.deepEqual(checkName("a/b.txt", "linux"), { parts: ["a", "b.txt"] });
  assert.deepEqual(checkName("./a//b/./c/", "linux"), {
    parts: ["a", "b", "c"],
  });
  assert.deepEqual(checkName("./", "linux"), { parts: [] });
  assert.deepEqual(checkName("...", "linux"), { parts: ["..."] });
});

Deno.test("checkName refuses names that leave the folder", () => {
  const absolute = { refused: "has an absolute path" };
  const up = { refused: "leaves the folder through '..'" };
  assert.deepEqual(checkName("/etc/passwd", "linux"), absolute);
  assert.deepEqual(checkName("//etc/passwd", "linux"), absolute);
  assert.deepEqual(checkName("..", "linux"), up);
  assert.deepEqual(checkName("../a", "linux"), up);
  assert.deepEqual(checkName("a/../../b", "linux"), up);
  assert.deepEqual(checkName("a/..", "linux"), up);
});

Deno.test("checkName refuses names that are too long", () => {
  assert.deepEqual(checkName("é".repeat(128), "linux"), {
    refused: "has a name of more than 255 bytes",
  });
  assert.ok("parts" in checkName("x".repeat(255), "linux"));
  assert.deepEqual(checkName("ab/".repeat(1366), "linux"), {
    refused: "has a path of more than 4095 bytes",
  });
  assert.ok("parts" in checkName("ab/".repeat(1365), "linux"));
  // Its length counts in bytes.
  assert.ok("refused" in checkName("é/".repeat(1366), "linux"));
});

Deno.test("checkName refuses a zero byte", () => {
  assert.deepEqual(checkName("a\0b", "linux"), {
    refused: "has a NUL byte in its name",
  });
});

Deno.test("checkName refuses on Windows what means something else there", () => {
  const refused = { refused: "has a name that Windows does not allow" };
  for (
    const name of ["..\\a", "C:", "a/C:x", "nul", "a/COM1.txt", "a.", "b /c"]
  ) {
    assert.deepEqual(checkName(name, "windows"), refused, name);
    assert.ok("parts" in checkName(name, "linux"), name);
  }
  assert.ok("parts" in checkName("etc/console.log", "windows"));
});

Deno.test("checkName never gives a part that leads elsewhere", () => {
  const part = fc.constantFrom("..", ".", "", "a", "..a", "a..", "\0", " ");
  fc.assert(fc.property(fc.array(part), (parts) => {
    const checked = checkName(parts.join("/"), "linux");
    if ("refused" in checked) return;
    for (const one of checked.parts) {
      assert.ok(!["..", ".", ""].includes(one) && !/[/\0]/.test(one));
    }
  }));
});

Deno.test("checkLinkText refuses what no link can hold", () => {
  assert.equal(checkLinkText("../../etc"), undefined);
  assert.equal(checkLinkText(""), "is a link without a target");
  assert.equal(
    checkLinkText("a\0b"),
    "is a link with a NUL byte in its target",
  );
  assert.equal(
    checkLinkText("x".repeat(4096)),
    "has a link target of more than 4095 bytes",
  );
});

Deno.test("fileMode keeps permissions and drops what speaks of an owner", () => {
  assert.equal(fileMode(0o600), 0o600);
  assert.equal(fileMode(0o104755), 0o755);
  assert.equal(fileMode(NaN), 0o644);
});

Deno.test("folderMode keeps permissions and the sticky bit", () => {
  assert.equal(folderMode(0o41777), 0o1777);
  assert.equal(folderMode(0o2750), 0o750);
  assert.equal(folderMode(NaN), 0o755);
});
