import { FREE_REQUESTS } from './probes';
import type { ReportRow } from './rows';
import type { Facts, Verdict } from './rows/row';
import { writePath } from './template';

const ASSUMPTIONS = 'docs/assumptions.md';

/** The meaning of each result, for the report. */
const MEANINGS: ReadonlyArray<readonly [verdict: Verdict, meaning: string]> = [
	['ok', 'We read it.'],
	['differs', 'We read it, but miss a part of it or its meaning.'],
	['unreadable', 'We cannot read it. Such a call ends in an error, or its outcome is unknown.'],
	['not attempted', 'This run did not show it.'],
];

const RESULTS: Readonly<Record<string, string>> = {
	accepted: 'the service accepted it',
	rejected: 'the service rejected it',
	unknown: 'its outcome is unknown. It may have been sent and charged, so it was not sent again',
	'not sent': 'not sent',
};

/** Writes the report as Markdown. It has no values of the account. */
export function writeReport(rows: readonly ReportRow[], facts: Facts): string {
	const paid = facts.paid?.channels ?? [];
	return [
		'# Report of the doctor',
		'',
		`Each row is an open question of \`${ASSUMPTIONS}\`. The report has names of fields and types only.`,
		'It has no key, number, text, name or amount of the account, so you can attach it to an issue.',
		'A name such as `field_1` replaces a name that could be private.',
		'',
		'| result | meaning | rows |',
		'| --- | --- | --- |',
		...MEANINGS.map(
			([verdict, meaning]) => `| ${verdict} | ${meaning} | ${rows.filter((row) => row.verdict === verdict).length} |`,
		),
		'',
		`If a row differs or is unreadable, open an issue and attach this report. \`${ASSUMPTIONS}\` names the code of each row.`,
		'',
		...writeLines(facts),
		'## Rows',
		...rows.flatMap(writeRow),
		'',
		'## Requests',
		'',
		'These requests cost nothing:',
		'',
		...FREE_REQUESTS.map(([request, why]) => `- ${request}. ${why}`),
		'',
		...(paid.length === 0 ? ['No request could cost money.'] : ['These requests could cost money:', '']),
		...paid.map(
			({ channel, result, why }) => `- ${channel}: ${RESULTS[result] ?? result}.${why === undefined ? '' : ` ${why}`}`,
		),
		'',
	].join('\n');
}

/** Writes the names to add to the contract, so that the client reads more of the service. */
function writeLines({ missingLines }: Facts): string[] {
	const calls = new Map<string, Set<string>>();
	for (const { endpoint, file, list, field, path, place } of missingLines) {
		const line = `\`${file}\`, \`${list}\`: \`'${place.join('.')}',\``;
		const why = `\`${field}\` of ${endpoint.method} ${endpoint.path} at \`${writePath(path)}\``;
		calls.set(line, (calls.get(line) ?? new Set()).add(why));
	}
	if (calls.size === 0) return [];
	return [
		'## Lines to add',
		'',
		'The client does not read these fields, but would with the line. Each entry names a file, a list in it, the line to',
		'add to it, and the reason. The doctor goes by names, so compare the value with the dashboard first.',
		'If a field has several lines, add only the right one. Replace a name such as `field_1` with the real one.',
		'A status belongs in `YES` if the message was sent, and in `NO` if it was not. The list here is a guess from the word.',
		'',
		...[...calls].map(([line, why]) => `- ${line} (${[...why].join('; ')})`),
		'',
	];
}

function writeRow({ heading, verdict, service, reading, next }: ReportRow): string[] {
	return [
		'',
		`### ${heading}: ${verdict}`,
		'',
		`- Service: ${service}`,
		`- We: ${reading}`,
		...(next === undefined || next === '' ? [] : [`- Next: ${next}`]),
	];
}

/** Writes the summary for the terminal: one line for each row. */
export function writeSummary(rows: readonly ReportRow[]): string {
	const lines = rows.map(({ heading, verdict }) => `${verdict.padEnd(13)}  ${heading}`);
	const counts = MEANINGS.map(([verdict]) => `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`);
	return `${lines.join('\n')}\n\n${counts.join(', ')}\n`;
}
