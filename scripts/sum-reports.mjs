import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { formatElapsed } from './lib/bootstrap/progress.mjs';
import { projectFolder, reportFolder } from './lib/paths.mjs';

/** @param {string} name */
function readReport(name) {
	try {
		return JSON.parse(readFileSync(join(reportFolder, name), 'utf8'));
	} catch {
		return undefined;
	}
}

/**
 * @typedef {{ passed: number, failed: number, failures: string[], ms: number }} Counted `failures` names each failed test,
 * `ms` is the time from the first start to the last end, in milliseconds
 */

/**
 * Counts a file that does not load as one failed test, because its tests are unknown.
 *
 * @param {{
 *   numPassedTests: number,
 *   numFailedTests: number,
 *   numRuntimeErrorTestSuites: number,
 *   startTime: number,
 *   testResults: { name: string, endTime: number, status: string, assertionResults: { status: string, fullName: string }[] }[],
 * }} report
 * @returns {Counted}
 */
function countJest(report) {
	const failures = report.testResults.flatMap(({ name, status, assertionResults }) => {
		const file = relative(projectFolder, name);
		const tests = assertionResults.filter((test) => test.status === 'failed');
		if (tests.length > 0) return tests.map((test) => `${file}: ${test.fullName}`);
		return status === 'failed' ? [`${file}: the file did not load`] : [];
	});
	return {
		passed: report.numPassedTests,
		failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
		failures,
		ms: Math.max(0, ...report.testResults.map(({ endTime }) => endTime - report.startTime)),
	};
}

/**
 * @param {import('./lib/checks.mjs').CheckResult[]} report
 * @returns {Counted}
 */
function countChecks(report) {
	const failures = report.filter((check) => !check.passed).map((check) => check.title);
	// The checks run side by side.
	const ms = Math.max(0, ...report.map((check) => check.ms));
	return { passed: report.length - failures.length, failed: failures.length, failures, ms };
}

const sources = [
	{ name: 'checks.json', title: 'npm test: checks', count: countChecks },
	{ name: 'test.json', title: 'npm test: tests', count: countJest },
	{ name: 'package.json', title: 'npm run test:package', count: countJest },
	{ name: 'e2e.json', title: 'npm run test:e2e', count: countJest },
	{ name: 'compatibility.json', title: 'npm run test:compatibility', count: countJest },
	{ name: 'queue.json', title: 'npm run test:queue', count: countJest },
	{ name: 'relay.json', title: 'npm run test:relay', count: countJest },
];

let passed = 0;
let failed = 0;
for (const { name, title, count } of sources) {
	const report = readReport(name);
	const counted = report ? count(report) : { passed: 0, failed: 1, failures: [], ms: 0 };
	const nothing = counted.passed + counted.failed === 0;
	if (nothing) counted.failed = 1;
	passed += counted.passed;
	failed += counted.failed;
	const note = report ? (nothing ? ' (no tests ran)' : '') : ' (no report)';
	process.stdout.write(
		`${title}: ${counted.passed} passed, ${counted.failed} failed${note}, ${formatElapsed(counted.ms)}\n`,
	);
	// The runs print thousands of lines before this one, so the names are repeated where a reader looks first.
	for (const failure of counted.failures) process.stdout.write(`  failed: ${failure}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
