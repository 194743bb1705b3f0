import { defineConfig } from "vitest/config";

const memory = ["test/slow/training-leak.test.ts", "test/slow/bounded-memory.test.ts"];
/** Files that use one core and little memory most of the time: two run at a time. */
const commands = [
  "test/slow/cures/**/*.test.ts",
  "test/slow/{commands,kill,postgres,runtimes,scripts,shards,trainings}/*.test.ts",
  "test/slow/{ablate,corpus-finetune,damage,docs,every-name,first-hour,match-tables-fuzz,objectives}.test.ts",
  "test/slow/{full-disk,object-storage,openrefine,package,string-retrieval,table-large}.test.ts",
];

/** The slow end-to-end checks: large tables, kill -9, real benchmark data. */
export default defineConfig({
  test: {
    globalSetup: ["test/setup/temporary-folder.ts", "test/setup/build.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    projects: [
      { extends: true, test: { name: "commands", include: commands } },
      {
        extends: true,
        test: { name: "slow", include: ["test/slow/**/*.test.ts"], exclude: [...memory, ...commands] },
      },
      {
        extends: true,
        test: {
          name: "memory",
          include: memory,
          // a young generation that grows to its usual 32 MiB and shrinks at a time of its own would hide what is kept
          execArgv: ["--expose-gc", "--max-semi-space-size=1"],
        },
      },
    ],
  },
});
