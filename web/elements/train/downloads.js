// What of a run can be kept as a file.

import { exampleTables } from '../../plain/tables/example-tables.js';
import { runCsv } from '../../plain/train/history.js';
import { packSafetensors } from '../../plain/train/safetensors.js';
import { download } from '../shared/clipboard.js';

/** @typedef {import('./player.js').Player} Player */

/** @param {Player} player @param {import('../../plain/train/tasks.js').Data | null} data */
export async function saveWeights(player, data) {
  const { run, playing } = player;
  if (!run || playing) return;
  const { task, config } = run.job.plan;
  /** @type {Record<string, string>} */
  const metadata = { format: 'pt', layer: config.layer, config: JSON.stringify(config) };
  if (data?.facts) metadata.data = JSON.stringify(data.facts);
  const bytes = packSafetensors(await player.weights(), metadata);
  download(`${task}-${run.history.last?.step}.safetensors`, bytes, 'application/octet-stream');
}

/** @param {Player} player */
export function saveRun({ run }) {
  if (run) download(`${run.job.plan.task}.csv`, runCsv(run.history.points), 'text/csv');
}

/** @param {unknown} file the name of an example */
export function saveExample(file) {
  const example = exampleTables.find(({ name }) => name === file);
  if (example) download(example.name, example.text(), 'text/csv');
}
