/** A disk that is soon full: a tmpfs, where this machine lets us mount one. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * Mounts a disk at a new folder until the tests of the file have run.
 * @param size such as "2m"
 */
export function mountSmallDisk(folder: string, size: string) {
  mkdirSync(folder);
  const mount = (...options: string[]) => spawnSync("mount", [...options, folder]).status === 0;
  const isMounted = mount("-t", "tmpfs", "-o", `size=${size}`, "tmpfs");
  if (!isMounted) console.log("skipped: no file system can be mounted");
  afterAll(() => {
    if (isMounted) spawnSync("umount", [folder]);
  });
  const resize = (size: string): boolean => mount("-o", `remount,size=${size}`);
  return {
    isMounted,
    /** @returns whether the disk has this size now */
    resize,
    /** An empty disk of the first size. @returns whether it is one */
    empty(): boolean {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      return resize(size);
    },
  };
}
