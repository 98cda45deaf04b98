/** The META partition: `MetaWrite` and `MetaDelete`. */

import { RpcError } from "../../errors.ts";
import type { MachineHandlers } from "./handlers.ts";
import { deleteMeta, setMeta } from "../node/meta.ts";

/** `MetaWrite` and `MetaDelete`. */
export const meta: MachineHandlers = {
  async metaWrite({ key, value }, { node }) {
    checkKey(key);
    if (!setMeta(node, key, value)) {
      throw new RpcError("RESOURCE_EXHAUSTED", "meta write failed");
    }
    await node.save();
    return { messages: [{}] };
  },
  async metaDelete({ key }, { node }) {
    checkKey(key);
    if (!deleteMeta(node, key)) {
      throw new RpcError("NOT_FOUND", "meta key not found");
    }
    await node.save();
    return { messages: [{}] };
  },
};

function checkKey(key: number): void {
  if (key > 255) {
    throw new RpcError("INVALID_ARGUMENT", "key must be a uint8");
  }
}
