import { TestEnvironment } from 'jest-environment-node';
import type { AtFileEnd } from './atFileEnd';

/**
 * Runs each test file in Node, and then what the file registered with `atFileEnd`. jest gives a test file a copy of
 * `process`, whose event `exit` never comes. This class has the real one, so the work also runs if jest is interrupted.
 */
export default class FileEnvironment extends TestEnvironment {
	private readonly work: (() => void)[] = [];
	private readonly run = (): void => this.work.splice(0).forEach((end) => end());

	override async setup(): Promise<void> {
		await super.setup();
		process.once('exit', this.run);
		const atFileEnd: AtFileEnd = (end) => void this.work.push(end);
		Object.assign(this.global, { atFileEnd });
	}

	override async teardown(): Promise<void> {
		process.off('exit', this.run);
		this.run();
		await super.teardown();
	}
}
