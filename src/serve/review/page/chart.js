/** What the answers change: the estimated precision and the number of matches, by answers given. */
import { html } from "./preact.js";

const [width, height, left, bottom] = [320, 130, 44, 20];
const count = (number) => number.toLocaleString("en");
const share = (number) => number.toFixed(3);
const answersOf = (number) => `${count(number)} ${number === 1 ? "answer" : "answers"}`;

/** @param values of a point: the lowest, the estimate and the highest */
function Chart({ title, points, values, shown, target }) {
  const all = [...points.flatMap(values), ...(target === undefined ? [] : [target])];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const [first, last] = [points[0], points[points.length - 1]];
  const x = ({ answers }) =>
    left + ((answers - first.answers) / (last.answers - first.answers || 1)) * (width - left - 12);
  const y = (value) => 10 + ((most - value) / (most - least || 1)) * (height - bottom - 20);
  const at = (place) => (point) => `${x(point)},${y(values(point)[place])}`;
  const said = ({ answers, ...point }) => `${shown(values(point)[1])} with ${answersOf(answers)}`;
  return html`<figure>
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}: ${said(first)}, ${said(last)}">
      <polygon class="band" points=${[...points.map(at(0)), ...points.map(at(2)).reverse()].join(" ")} />
      ${target !== undefined && html`<line class="target" x1=${left} x2=${width} y1=${y(target)} y2=${y(target)} />`}
      <polyline class="line" points=${points.map(at(1)).join(" ")} />
      ${points.map((point) => html`<circle class="point" r="3" cx=${x(point)} cy=${y(values(point)[1])} />`)}
      <text x="4" y=${y(most) + 4}>${shown(most)}</text>
      ${most > least && html`<text x="4" y=${y(least) + 4}>${shown(least)}</text>`}
      <text x=${left} y=${height - 4}>${count(first.answers)}</text>
      ${last !== first && html`<text x=${width - 4} y=${height - 4} text-anchor="end">${answersOf(last.answers)}</text>`}
    </svg>
  </figure>`;
}

export function Figures({ figures: { points, unit, isBusy, trouble }, answers }) {
  const last = points[points.length - 1];
  const newer = last === undefined ? 0 : answers - last.answers;
  const age = newer > 0 ? ` Not yet taken in: ${answersOf(newer)}.` : "";
  return html`<section aria-labelledby="figures">
    <h2 id="figures">What your answers change</h2>
    ${trouble && html`<p role="alert">No newer figures: ${trouble}</p>`}
    ${isBusy && !last && html`<p class="note">The tables are being compared; the figures follow.</p>`}
    ${last && html`<${Summary} last=${last} unit=${unit} age=${age} />`}
    ${
      last &&
      html`<div class="charts">
      <${Chart} title="Estimated precision" points=${points} shown=${share} target=${last.promise?.target}
        values=${({ low, estimate, high }) => [low, estimate, high]} />
      <${Chart} title=${`Number of ${unit}`} points=${points} shown=${count} values=${({ found }) => [found, found, found]} />
    </div>`
    }
  </section>`;
}

function Summary({ last: { estimate, low, high, promise, found, answers }, unit, age }) {
  const range = low < high ? ` (${share(low)} to ${share(high)})` : "";
  const kept =
    promise &&
    ` A precision of ${promise.target} is ${promise.established ? "" : "not "}established: ${promise.reason}.`;
  return html`<p>${count(found)} ${unit}, estimated precision ${share(estimate)}${range}, from ${answersOf(answers)}.${age}${kept}</p>`;
}
