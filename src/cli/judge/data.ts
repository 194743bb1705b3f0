/** `pearl data`: downloads public benchmark data. */
import { type AnyCommand, command } from "../command.js";
import { counted, formatCount } from "../format.js";
import { option, shared } from "../options.js";

const autofj = command({
  name: "autofj",
  summary: "download the tables of AutoFJ's 50 datasets (about 6 MB)",
  options: [
    shared.data,
    option("--endpoint <url>", "a mirror of raw.githubusercontent.com (env: PEARL_DATA_ENDPOINT)"),
    shared.report,
    shared.quiet,
  ],
  examples: [
    ["pearl data autofj", "into the folder where `pearl bench` looks by default"],
    ["pearl data autofj --data bench", "into bench/autofj; a second run downloads only missing files"],
  ],
  run: async (_, options, session) => {
    const { defaultDataFolder, downloadAutofj } = await import("../../benchmark/data-folder.js");
    const target = options.data ?? (await defaultDataFolder());
    const { folder, downloaded, kept } = await downloadAutofj(target, {
      endpoint: options.endpoint,
      signal: session.signal,
      onProgress: (done, total) => session.show("downloading", done, total),
    });
    await session.record({ folder, downloaded, kept });
    session.print(
      `${folder}: ${counted(downloaded, "file")} downloaded, ${formatCount(kept)} already existed`,
    );
  },
});

export default {
  name: "data",
  summary: "download public benchmark data",
  commands: [autofj],
  examples: [["pearl data autofj", "AutoFJ's tables, where `pearl bench` looks by default"]],
} satisfies AnyCommand;
