import { logProblem } from '../../relay/log';

describe('the log of the relay', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => {
		jest.useRealTimers();
		jest.restoreAllMocks();
	});

	it('writes the same problem once in ten seconds, and then how often it occurred', () => {
		const lines: string[] = [];
		jest.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
		const full = Object.assign(new Error('the words of a message'), { code: '53100' });
		for (let count = 0; count < 3; count += 1) logProblem('An event could not be stored', full);
		logProblem('Another problem');
		jest.advanceTimersByTime(10_000);
		logProblem('An event could not be stored', full);
		expect(lines.map((line) => line.replace(/^\S+ /, '').trim())).toEqual([
			'An event could not be stored: Error 53100',
			'Another problem',
			'An event could not be stored: Error 53100 (and 2 more since the last such line)',
		]);
	});
});
