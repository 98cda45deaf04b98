/** A fake node with a META partition. */

import type { FakeNode } from "../../_fake.ts";
import { listing } from "../../workflows/operations/_run_operation.ts";

/**
 * Makes a node that shows one key.
 *
 * @param before Value before the first change; `undefined` for none.
 * @param handlers More of them, or others.
 */
export function metaNode(
  before: string | undefined,
  handlers: FakeNode = {},
): FakeNode {
  let value = before;
  return {
    list: (request) =>
      listing({ MetaKeys: value === undefined ? {} : { "0x0a": { value } } })(
        request,
      ),
    ...handlers,
    ...wrap(handlers, (next) => value = next),
  };
}

function wrap(
  { metaWrite, metaDelete }: FakeNode,
  set: (value: string | undefined) => void,
): FakeNode {
  return {
    ...(metaWrite && {
      async metaWrite(request) {
        const answer = await metaWrite(request);
        set(new TextDecoder().decode(request.value));
        return answer;
      },
    }),
    ...(metaDelete && {
      async metaDelete(request) {
        const answer = await metaDelete(request);
        set(undefined);
        return answer;
      },
    }),
  };
}
