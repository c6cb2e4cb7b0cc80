import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from './sandboxControl';

/** The sandbox of a test file, and its control routes. */
export interface UsedSandbox {
	/** Its addresses and key. They exist while the tests of the file run. */
	readonly sandbox: Pick<Sandbox, 'url' | 'baseUrl' | 'apiKey'>;
	readonly control: ReturnType<typeof sandboxControl>;
}

/**
 * Starts a sandbox with a stopped clock before the tests of the calling file, resets it before each test, and stops it
 * after the last one. Call it at the top of the file.
 */
export function useSandbox(): UsedSandbox {
	let started: Sandbox | undefined;
	const running = () => {
		if (!started) throw new Error('the sandbox starts with the first test of the file');
		return started;
	};
	const sandbox: UsedSandbox['sandbox'] = {
		get url() {
			return running().url;
		},
		get baseUrl() {
			return running().baseUrl;
		},
		get apiKey() {
			return running().apiKey;
		},
	};
	const control = sandboxControl(sandbox);
	beforeAll(async () => {
		started = await startSandbox({ clock: 'stopped' });
	});
	beforeEach(() => control.reset());
	afterAll(async () => await started?.stop());
	return { sandbox, control };
}
