/** Reads the journal of a run as `resume` does; the folder of the run is the argument. */

import {
  findOpenPhases,
  listTouched,
} from "../workflows/runbooks/journal/resume_state.ts";
import { RunHistory } from "../workflows/runbooks/journal/history.ts";
import { readRecords } from "../workflows/runbooks/store/run_folder.ts";

const [folder = ""] = Deno.args;
const history = new RunHistory();
const { seq } = await readRecords(
  folder,
  (record) => history.add(record),
);
const found = {
  seq,
  touched: listTouched(history).size,
  open: findOpenPhases(history).size,
};
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(found)));
