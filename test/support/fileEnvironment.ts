import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';
import type { AtFileEnd, RequireOutside } from './atFileEnd';

/**
 * Runs each test file in Node, and then what the file registered with `atFileEnd`. jest gives a test file a copy of
 * `process`, whose event `exit` never comes. This class has the real one, so the work also runs if jest is interrupted.
 */
export default class FileEnvironment extends TestEnvironment {
	private readonly work: Parameters<AtFileEnd>[0][] = [];
	private readonly run = (): void => this.work.splice(0).forEach((end) => void end());

	override async setup(): Promise<void> {
		await super.setup();
		process.once('exit', this.run);
		const atFileEnd: AtFileEnd = (end) => void this.work.push(end);
		const requireOutside: RequireOutside = createRequire(__filename);
		Object.assign(this.global, { atFileEnd, requireOutside });
	}

	override async teardown(): Promise<void> {
		for (let end = this.work.shift(); end !== undefined; end = this.work.shift()) await end();
		process.off('exit', this.run);
		await super.teardown();
	}
}
