/** The hub's address, its cache and the user's token, from the environment variables of huggingface_hub. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Names and order of precedence are those of Python's huggingface_hub, so that both share one cache. */
export interface HubSettings {
  /** Address without a trailing slash. `HF_ENDPOINT`, default `https://huggingface.co`. */
  readonly endpoint: string;
  /** `HF_HOME`, default `~/.cache/huggingface` (`XDG_CACHE_HOME` is respected). */
  readonly home: string;
  /** Folder of `models--org--name` folders. `HF_HUB_CACHE`, default `<home>/hub`. */
  readonly cacheFolder: string;
  /** `HF_TOKEN`, else the content of `HF_TOKEN_PATH`, default `<home>/token`. Never print it. */
  readonly token?: string;
  /** The variable or file of the token. */
  readonly tokenSource?: string;
  /** `HF_HUB_OFFLINE` (or `TRANSFORMERS_OFFLINE`) is 1, on, yes or true: the network must not be used. */
  readonly offline: boolean;
}

export function hubSettings(environment: NodeJS.ProcessEnv = process.env): HubSettings {
  const cacheHome = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  const home = absolute(environment.HF_HOME || join(cacheHome, "huggingface"));
  const cache = environment.HF_HUB_CACHE || environment.HUGGINGFACE_HUB_CACHE || join(home, "hub");
  const endpoint = (environment.HF_ENDPOINT || "https://huggingface.co").trim().replace(/\/+$/, "");
  return {
    endpoint,
    home,
    cacheFolder: absolute(cache),
    ...findToken(environment, home),
    offline: isTrue(environment.HF_HUB_OFFLINE || environment.TRANSFORMERS_OFFLINE),
  };
}

function findToken(environment: NodeJS.ProcessEnv, home: string): Pick<HubSettings, "token" | "tokenSource"> {
  for (const name of ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"]) {
    const token = environment[name]?.trim();
    if (token) return { token, tokenSource: name };
  }
  const file = absolute(environment.HF_TOKEN_PATH || join(home, "token"));
  try {
    const token = readFileSync(file, "utf8").trim();
    return token ? { token, tokenSource: file } : {};
  } catch {
    return {}; // most users have none, and public models need none
  }
}

const absolute = (path: string): string => resolve(path.replace(/^~(?=$|[/\\])/, homedir()));

const isTrue = (value = ""): boolean => ["1", "on", "yes", "true"].includes(value.trim().toLowerCase());
