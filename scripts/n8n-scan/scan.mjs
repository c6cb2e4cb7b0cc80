// @ts-expect-error The package has no types.
import { analyzePackage, SOURCE_FILE_PATTERNS } from './node_modules/@n8n/scan-community-package/scanner/scanner.mjs';

/**
 * Runs the analysis of n8n's scan for community packages, without its downloads.
 * Usage: node scripts/n8n-scan/scan.mjs source|packed FOLDER. Prints the findings, and exits with 1 if there are any.
 */
const [kind = '', folder] = process.argv.slice(2);
const patterns = new Map([
	['source', SOURCE_FILE_PATTERNS],
	['packed', ['**/*.js', 'package.json']],
]).get(kind);
if (!patterns || !folder) {
	console.error('Usage: node scripts/n8n-scan/scan.mjs source|packed FOLDER');
	process.exit(2);
}
const { passed, message, details } = await analyzePackage(folder, patterns);
if (!passed) console.error([message, details].filter(Boolean).join('\n'));
process.exit(passed ? 0 : 1);
