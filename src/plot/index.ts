/** Pictures: phrases as a map, in files that need nothing else. */
export { checkPlotName, type PlotOptions, type PlotReport, plotTable } from "./plot-table.js";
