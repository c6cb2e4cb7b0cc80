import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../doctor/main';
import { recordedShapes, type RecordedShapes, type Transport } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';

/** One row of a report. */
export interface ReportRow {
	readonly verdict: string;
	readonly service: string;
	readonly reading: string;
	readonly next: string | undefined;
}

/** The result of one run. */
export interface DoctorRun {
	readonly code: number;
	/** The whole terminal. */
	readonly printed: string;
	/** The report; empty if none was written. */
	readonly report: string;
	readonly rows: ReadonlyMap<string, ReportRow>;
	/** The file of shapes as text; empty if none was written. */
	readonly shapesText: string;
	/** The shapes. @throws Error if they are not valid */
	shapes(): RecordedShapes;
}

/** The service to check. */
interface Checked {
	readonly baseUrl: string;
	readonly apiKey: string;
	/** Called with each text that is printed. */
	readonly onPrint?: (text: string) => void;
	/** Lets the doctor's waits pass at once. Receives each wait in milliseconds. By default, real time passes. */
	readonly pass?: (milliseconds: number) => Promise<unknown>;
	/** The doctor of this folder by default. */
	readonly doctor?: typeof main;
}

/** Runs the doctor as its command does, with files in a temporary folder. */
export async function runDoctor(
	{ baseUrl, apiKey, onPrint, pass, doctor = main }: Checked,
	...args: readonly string[]
): Promise<DoctorRun> {
	const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
	const [report, shapes] = [join(folder, 'report.md'), join(folder, 'shapes.json')];
	let printed = '';
	const print = (text: string) => {
		printed += text;
		onPrint?.(text);
	};
	const terminal = { print, warn: print, askSecret: () => Promise.resolve(undefined) };
	const files = ['--base-url', baseUrl, '--report', report, '--shapes', shapes];
	try {
		const code = await doctor(
			[...files, ...args],
			{ MESSAGING_SERVICE_API_KEY: apiKey },
			terminal,
			pass && withoutWaits(pass),
		);
		const [text, shapesText] = code === 2 ? ['', ''] : [readFileSync(report, 'utf8'), readFileSync(shapes, 'utf8')];
		return {
			code,
			printed: printed.replaceAll(folder, ''),
			report: text,
			rows: rowsIn(text),
			shapesText,
			shapes: () => recordedShapes.parse(JSON.parse(shapesText)),
		};
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** A transport whose waits take no real time. */
function withoutWaits(pass: (milliseconds: number) => Promise<unknown>): Transport {
	let passed = 0;
	return {
		...undiciTransport(),
		sleep: async (milliseconds) => {
			passed += milliseconds;
			await pass(milliseconds);
		},
		now: () => performance.now() + passed,
	};
}

function rowsIn(report: string): Map<string, ReportRow> {
	const sections = report.split(/^### /m).slice(1);
	return new Map(
		sections.map((section) => {
			const [, heading = '', verdict = ''] = /^(.*): (.*)$/m.exec(section) ?? [];
			const line = (name: string) => new RegExp(`^- ${name}: (.*)$`, 'm').exec(section)?.[1];
			return [heading, { verdict, service: line('Service') ?? '', reading: line('We') ?? '', next: line('Next') }];
		}),
	);
}
