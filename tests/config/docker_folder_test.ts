import assert from "node:assert/strict";
import { dockerFolder } from "../../config/docker_folder.ts";

Deno.test("dockerFolder takes DOCKER_CONFIG, else the home of the user; an empty variable counts as unset", () => {
  const folder = (variables: Record<string, string>) =>
    dockerFolder((name) => variables[name]);
  assert.equal(folder({ DOCKER_CONFIG: "/d", HOME: "/h" }), "/d");
  assert.equal(folder({ DOCKER_CONFIG: "", HOME: "/h" }), "/h/.docker");
  assert.equal(folder({ USERPROFILE: "C:\\u" }), "C:\\u/.docker");
});
