/** Shows a full screen and crashes while it is shown: in a timer, or as a promise that nothing waits for. */

import { realEnvironment } from "../../terminal/environment.ts";
import { showFullScreen } from "../../terminal/full_screen.ts";

function crash(): never {
  throw new Error("broken on purpose");
}

await showFullScreen<number>({
  initial: 0,
  everyMs: 1_000,
  load: () => Promise.resolve((state) => state),
  press(state) {
    if (Deno.args[0] === "timer") setTimeout(crash, 0);
    else Promise.resolve().then(crash);
    return state;
  },
  draw: () => ["shown"],
  mouse: true,
}, { environment: realEnvironment(), signal: new AbortController().signal });
