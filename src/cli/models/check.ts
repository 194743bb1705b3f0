/** `pearl models check`: are the files of models as they were written or downloaded? */
import { join } from "node:path";
import { ModelError, messageOf, UsageError } from "../../errors.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { option, shared } from "../options.js";

export default command({
  name: "check",
  summary: "compare the files of models with their checksums",
  arguments: [["[model]", "embedded name, folder or hub id (default: every model of `pearl models`)"]],
  options: [
    option("--accept", "record the folder's files as they are now, after you changed them"),
    shared.json,
  ],
  examples: [
    ["pearl models check", "every model on this machine"],
    ["pearl models check ./my-model --accept", "after a change of your own"],
  ],
  run: async ([model], { accept, json }, session) => {
    const { checkModel } = await import("../../hub/check-model.js");
    const { locateFiles } = await import("../../hub/locate.js");
    const { signal, onDownload } = session;
    const named =
      model === undefined ? [] : [{ model, path: await locateFiles(model, { signal, onDownload }) }];
    if (accept) {
      if (named.length === 0)
        throw new UsageError("--accept needs the folder of a model: pearl models check FOLDER --accept");
      const { sealFolder } = await import("../../files/sealed-folder.js");
      const { path } = named[0];
      await sealFolder(path).catch((cause) => {
        const trouble =
          cause instanceof SyntaxError
            ? `${join(path, "config.json")} is not valid JSON (${cause.message}). Correct it first.`
            : `${path}: the checksums cannot be written (${messageOf(cause)}). Check the folder's permissions.`;
        throw new ModelError(trouble, { cause });
      });
    }
    const { listModels } = await import("../../hub/inventory.js");
    const problems: string[] = [];
    const checked: { model: string; files: number }[] = [];
    for (const { model: name, path } of model === undefined ? await listModels() : named) {
      try {
        const count = await checkModel(path, "all");
        const none = `no checksums; \`pearl models check ${name} --accept\` records them`;
        checked.push({ model: name, files: count });
        if (!json) session.print(`${name}: ${count === 0 ? none : `${counted(count, "file")} as written`}`);
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    if (json) session.printJson({ checked, problems });
    if (problems.length > 0) throw new ModelError(problems.join("\n"));
  },
});
