import assert from "node:assert/strict";
import { readModel } from "../../../simulator/etcd/saved_model.ts";

Deno.test("anything else is refused", () => {
  const refused = {
    name: "ConfigError",
    message: "Cannot read the saved etcd state",
  };
  const texts = [
    "",
    "{}",
    '{"clusters":[],"servers":[{"name":"cp-1","cluster":0,"id":"1n"}]}',
  ];
  for (const text of texts) assert.throws(() => readModel(text), refused);
});
