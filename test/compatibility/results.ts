import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod/v4';
import { features, type Feature } from '../../scripts/lib/compatibility';

const root = join(__dirname, '..', '..');
const committed = join(root, 'docs', 'compatibility.json');

/** The results of one n8n version by feature. */
export type Results = Record<Feature, string>;

const file = z.record(z.string(), z.record(z.string(), z.string()));

/** Starts with a failure of each feature, because a test that ends early records nothing. */
export function newResults(): Results {
	return Object.fromEntries(Object.keys(features).map((feature) => [feature, 'fails'])) as Results;
}

/** Reads the committed results of an n8n version. */
export function committedResults(version: string): Record<string, string> | undefined {
	return file.parse(JSON.parse(readFileSync(committed, 'utf8')))[version];
}

/** Keeps the results of a run; with UPDATE_COMPATIBILITY=1 they become those in the documentation, too. */
export function keepResults(version: string, results: Results): void {
	const kept = join(root, '.local', 'reports', 'compatibility', `${version}.json`);
	mkdirSync(dirname(kept), { recursive: true });
	writeFileSync(kept, JSON.stringify(results, null, '\t'));
	if (process.env.UPDATE_COMPATIBILITY !== '1') return;
	const all = { ...file.parse(JSON.parse(readFileSync(committed, 'utf8'))), [version]: results };
	writeFileSync(committed, `${JSON.stringify(all, null, '\t')}\n`);
}
