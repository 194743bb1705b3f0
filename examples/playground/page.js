/** Matches two tables, or finds duplicates in one, on this machine: reads files, asks pearl's worker, shows and saves. */
import { html, render, useRef, useState } from "htm/preact/standalone";
import { dedupe, join, models, PhraseEncoder } from "../web/index.js";
import { duplicateFiles, joinFiles, readCsv } from "./tables.js";

/** Pairs that are shown at first, and that each press of a button adds. */
const shownAtFirst = 100;

/** The model in use: loading the same one again would take its time. */
let loaded;
async function encoderOf(model, onProgress) {
  if (loaded?.model !== model) {
    await loaded?.dispose();
    loaded = await PhraseEncoder.load(model, { models: "../../models/", onProgress });
  }
  return loaded;
}

function FileField({ label, file, onFile }) {
  const [isOver, setOver] = useState(false);
  const take = (event, files) => {
    event.preventDefault();
    setOver(false);
    if (files.length > 0) onFile(files[0]);
  };
  return html`<label
    class=${isOver ? "file over" : "file"}
    onDragOver=${(event) => {
      event.preventDefault();
      setOver(true);
    }}
    onDragLeave=${() => setOver(false)}
    onDrop=${(event) => take(event, event.dataTransfer.files)}
  >
    ${label}
    <input type="file" accept=".csv,.tsv,.txt" onChange=${(event) => take(event, event.target.files)} />
    <span class="note">${file ? file.name : "Choose a file, or drop one here."}</span>
  </label>`;
}

function Save({ name, label, text }) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([text()], { type: "text/csv" }));
    Object.assign(document.createElement("a"), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  return html`<button type="button" onClick=${save}>${label}</button>`;
}

/** The matches of two tables, or the duplicates of one. */
function Result({ result }) {
  const [count, setCount] = useState(shownAtFirst);
  const { pairs, title, summary, established, files } = result;
  return html`<section aria-labelledby="result">
    <h2 id="result">${title}</h2>
    <p>${summary}.</p>
    ${!established && pairs.length > 0 && html`<p role="alert">These pairs are likely, but not verified: check them.</p>`}
    <div class="row">${files.map((file) => html`<${Save} ...${file} />`)}</div>
    <ol>
      ${pairs.slice(0, count).map(
        ({ left, right, probability, why }) => html`<li>
          <strong>${probability.toFixed(2)}</strong> ${left} <span class="note">and</span> ${right}
          <div class="note">${why}</div>
        </li>`,
      )}
    </ol>
    ${count < pairs.length && html`<button type="button" onClick=${() => setCount(count + shownAtFirst)}>Show more</button>`}
  </section>`;
}

async function match({ files, model, precision }, run) {
  const [left, right] = await Promise.all(files.map((file) => file && readCsv(file)));
  if (left === undefined) throw new Error("Choose the first table.");
  const encoder = await encoderOf(model, run.onProgress);
  const options = { ...run, encoder, precision, explain: "each" };
  return right === undefined
    ? duplicateFiles(left, await dedupe(left.rows, options))
    : joinFiles(left, right, await join(left.rows, right.rows, options));
}

function Page() {
  const [files, setFiles] = useState([undefined, undefined]);
  const [[model, precision], setSettings] = useState([models[0], 0.9]);
  const [progress, setProgress] = useState();
  const [trouble, setTrouble] = useState("");
  const [result, setResult] = useState();
  const stop = useRef();

  const setFile = (place) => (file) => setFiles(files.map((old, index) => (index === place ? file : old)));
  const start = async (event) => {
    event.preventDefault();
    if (progress !== undefined) return;
    stop.current = new AbortController();
    setTrouble("");
    setResult(undefined);
    setProgress({ stage: "reading" });
    const run = { onProgress: setProgress, signal: stop.current.signal };
    await match({ files, model, precision }, run).then(setResult, (error) =>
      setTrouble(stop.current.signal.aborted ? "Stopped." : error.message),
    );
    setProgress(undefined);
  };
  const isPair = files[1] !== undefined;
  return html`<main>
    <h1>Match two tables</h1>
    <p>
      pearl finds the rows that mean the same, without a shared key. It computes on this machine: the page sends nothing.
    </p>
    <form onSubmit=${start}>
      <${FileField} label="First table (CSV)" file=${files[0]} onFile=${setFile(0)} />
      <${FileField} label="Second table (CSV), or none to find duplicates in the first" file=${files[1]} onFile=${setFile(1)} />
      <label>
        Precision to keep
        <input
          type="number" min="0.5" max="0.99" step="0.01" value=${precision}
          onInput=${(event) => setSettings([model, event.target.valueAsNumber])}
        />
      </label>
      <label>
        Model
        <select value=${model} onChange=${(event) => setSettings([event.target.value, precision])}>
          ${models.map((name) => html`<option value=${name}>${name}</option>`)}
        </select>
      </label>
      <button type="submit" disabled=${files[0] === undefined || progress !== undefined}>
        ${isPair ? "Match the tables" : "Find duplicates"}
      </button>
      ${progress && html`<button type="button" onClick=${() => stop.current.abort()}>Stop</button>`}
    </form>
    <div role="status">
      ${progress && html`<${Progress} ...${progress} />`} ${result && `Done: ${result.title}.`}
    </div>
    ${trouble && html`<p role="alert">${trouble}</p>`} ${result && html`<${Result} result=${result} />`}
  </main>`;
}

function Progress({ stage, done, total }) {
  const bar =
    total > 0
      ? html`<progress aria-label=${stage} value=${done} max=${total} />`
      : html`<progress aria-label=${stage} />`;
  return html`<p>${stage}</p>${bar}`;
}

render(html`<${Page} />`, document.body);
