/** Downloads the 50 AutoFJ sets from their public repository into the data folder. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { InterruptedError, MissingDataError, messageOf } from "../errors.js";
import { writeWholeFile } from "../files/whole-file.js";

/** The repository, at the commit with the tables of the published scores. */
const repository =
  "chu-data-lab/AutomaticFuzzyJoin/2e638b2dd17da41abf5ed71575cea94b1d175ccd/src/autofj/benchmark";

const defaultEndpoint = "https://raw.githubusercontent.com";

const files = ["left.csv", "right.csv", "gt.csv"];

/** The sets, in the order of the repository. */
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
  /** Server with the files of the repository. Default: $PEARL_DATA_ENDPOINT, else raw.githubusercontent.com. */
  readonly endpoint?: string;
  /** Names of the sets. Default: all 50. */
  readonly sets?: readonly string[];
  /** Called with finished and all files. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** What the download did. */
export interface DownloadOutcome {
  /** The folder with one subfolder per set. */
  readonly folder: string;
  readonly downloaded: number;
  /** Files that already existed. */
  readonly kept: number;
}

/**
 * Downloads `<set>/left.csv`, `right.csv` and `gt.csv` to `<dataFolder>/autofj`. Files appear under their names only when
 * complete, so that a second call downloads only what is missing.
 *
 * @throws MissingDataError for an unreachable server, a missing file or an incomplete one; InterruptedError
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
      await writeWholeFile(path, body);
      downloaded++;
    }
    onProgress?.(downloaded + kept, wanted.length);
  }
  return { folder, downloaded, kept };
}

/** The body of a URL, checked against its content-length. */
async function fetchWhole(url: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  let body: Uint8Array;
  let announced: string | null;
  try {
    // Uncompressed, so that content-length is the length of the file.
    const response = await fetch(url, { signal, headers: { "accept-encoding": "identity" } });
    if (!response.ok) {
      await response.body?.cancel();
      throw statusError(url, response.status);
    }
    announced = response.headers.get("content-length");
    body = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (error instanceof MissingDataError) throw error;
    if (signal?.aborted) throw new InterruptedError("the download was interrupted; run it again to resume");
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new MissingDataError(
      `${url}: the download failed (${messageOf(cause) || "no answer"}). Check the network, or name a mirror with ` +
        "PEARL_DATA_ENDPOINT, and run it again: files already downloaded are kept.",
      { cause: error },
    );
  }
  if (announced !== null && Number(announced) !== body.length) {
    throw new MissingDataError(
      `${url}: the file is incomplete: ${body.length} of ${announced} bytes. Run it again to resume.`,
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

async function isFile(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ?? false;
}
