/** Downloads the 50 AutoFJ sets from their public repository into the data folder. */
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InterruptedError, MissingDataError, messageOf } from "../errors.js";

/** The repository, at the commit whose tables the paper's scores are for. */
const repository =
  "chu-data-lab/AutomaticFuzzyJoin/2e638b2dd17da41abf5ed71575cea94b1d175ccd/src/autofj/benchmark";

const defaultEndpoint = "https://raw.githubusercontent.com";

const files = ["left.csv", "right.csv", "gt.csv"];

/** The sets, as the repository lists them. */
export const autofjSets: readonly string[] = (
  "Amphibian ArtificialSatellite Artwork Award BasketballTeam Case ChristianBishop ClericalAdministrativeRegion " +
  "Country Device Drug Election Enzyme EthnicGroup FootballLeagueSeason FootballMatch Galaxy GivenName " +
  "GovernmentAgency HistoricBuilding Hospital Legislature Magazine MemberOfParliament Monarch MotorsportSeason " +
  "Museum NCAATeamSeason NationalFootballLeagueSeason NaturalEvent Noble PoliticalParty Race RailwayLine Reptile " +
  "RugbyLeague ShoppingMall SoccerClubSeason SoccerLeague SoccerTournament Song SportFacility SportsLeague Stadium " +
  "TelevisionStation TennisTournament Tournament UnitOfWork Venue Wrestler"
).split(" ");

/** Settings of the download. */
export interface DownloadOptions {
  /** Server that has the repository's files. Default: $PEARL_DATA_ENDPOINT, else raw.githubusercontent.com. */
  readonly endpoint?: string;
  /** Names of the sets. Default: all 50. */
  readonly sets?: readonly string[];
  /** Called with finished and all files. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** What was done. */
export interface DownloadOutcome {
  /** The folder that holds one folder per set. */
  readonly folder: string;
  readonly downloaded: number;
  /** Files that were there already. */
  readonly kept: number;
}

/**
 * Fetches `<set>/left.csv`, `right.csv` and `gt.csv` into `<dataFolder>/autofj`. A file appears under its name only
 * when it is whole, so that a second call fetches what is missing and nothing else.
 *
 * @throws MissingDataError for a server that cannot be reached or has no such file, or a file cut short;
 *   InterruptedError
 */
export async function downloadAutofj(
  dataFolder: string,
  options: DownloadOptions = {},
): Promise<DownloadOutcome> {
  const { sets = autofjSets, onProgress, signal } = options;
  const endpoint = (options.endpoint || process.env.PEARL_DATA_ENDPOINT || defaultEndpoint).replace(
    /\/+$/,
    "",
  );
  const folder = join(dataFolder, "autofj");
  const wanted = sets.flatMap((set) => files.map((file) => `${set}/${file}`));
  let downloaded = 0;
  let kept = 0;
  for (const name of wanted) {
    const path = join(folder, name);
    if (await isFile(path)) {
      kept++;
    } else {
      const body = await fetchWhole(`${endpoint}/${repository}/${name}`, signal);
      await writeWhole(path, body);
      downloaded++;
    }
    onProgress?.(downloaded + kept, wanted.length);
  }
  return { folder, downloaded, kept };
}

/** The body of a URL, checked against the length that the server announced. */
async function fetchWhole(url: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  let body: Uint8Array;
  let announced: string | null;
  try {
    // Uncompressed, so that the announced length is the file's.
    const response = await fetch(url, { signal, headers: { "accept-encoding": "identity" } });
    if (!response.ok) {
      await response.body?.cancel();
      throw statusError(url, response.status);
    }
    announced = response.headers.get("content-length");
    body = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (error instanceof MissingDataError) throw error;
    if (signal?.aborted) throw new InterruptedError("the download was stopped; run it again to go on");
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new MissingDataError(
      `${url}: the download failed (${messageOf(cause) || "no answer"}). Check the network, or name a mirror with ` +
        "PEARL_DATA_ENDPOINT; what is already here is kept, run it again to go on.",
      { cause: error },
    );
  }
  if (announced !== null && Number(announced) !== body.length) {
    throw new MissingDataError(
      `${url}: the file was cut short: ${body.length} of ${announced} bytes. Run it again to go on.`,
    );
  }
  return body;
}

function statusError(url: string, status: number): MissingDataError {
  const cure =
    status === 404
      ? "The server does not have this file: check PEARL_DATA_ENDPOINT, which must serve GitHub's raw files."
      : "Try again later, or name a mirror with PEARL_DATA_ENDPOINT.";
  return new MissingDataError(`${url}: the server answered ${status}. ${cure}`);
}

async function writeWhole(path: string, body: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, body);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ?? false;
}
