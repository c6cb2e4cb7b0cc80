import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportFolder } from './lib/paths.mjs';

/** @param {string} name */
function readReport(name) {
	try {
		return JSON.parse(readFileSync(join(reportFolder, name), 'utf8'));
	} catch {
		return undefined;
	}
}

/**
 * Counts a file that does not load as one failed test, because its tests are unknown.
 *
 * @param {{ numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number }} report
 */
function countJest(report) {
	return {
		passed: report.numPassedTests,
		failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
	};
}

/** @param {import('./lib/checks.mjs').CheckResult[]} report */
function countChecks(report) {
	const passed = report.filter((check) => check.passed).length;
	return { passed, failed: report.length - passed };
}

const sources = [
	{ name: 'checks.json', title: 'npm test: checks', count: countChecks },
	{ name: 'test.json', title: 'npm test: tests', count: countJest },
	{ name: 'e2e.json', title: 'npm run test:e2e', count: countJest },
	{ name: 'queue.json', title: 'npm run test:queue', count: countJest },
	{ name: 'relay.json', title: 'npm run test:relay', count: countJest },
];

let passed = 0;
let failed = 0;
for (const { name, title, count } of sources) {
	const report = readReport(name);
	const counted = report ? count(report) : { passed: 0, failed: 1 };
	const nothing = counted.passed + counted.failed === 0;
	if (nothing) counted.failed = 1;
	passed += counted.passed;
	failed += counted.failed;
	const note = report ? (nothing ? ' (no tests ran)' : '') : ' (no report)';
	process.stdout.write(`${title}: ${counted.passed} passed, ${counted.failed} failed${note}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
