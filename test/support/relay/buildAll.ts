import buildPackage from '../buildPackage';
import { builtRelay } from './builtRelay';

/** Builds the n8n package and the relay before the tests, so that no two workers build at once. */
export default async function buildAll(): Promise<void> {
	await buildPackage();
	builtRelay();
}
