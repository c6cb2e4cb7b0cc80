import { groupRecipients, planGroups } from '../../../shared';

const ama = '+233201234561';
const kofi = '+233201234562';
const line = (text: string, value: unknown, source: number) => ({ text, numbers: { value, source } });
const group = (lines: Parameters<typeof groupRecipients<string>>[0], excluded?: ReadonlySet<string>) =>
	groupRecipients(lines, (text) => text, {}, excluded);

describe('the groups of a bulk send', () => {
	it('groups the recipients of all lines with the same message, in the order of the first lines', () => {
		const groups = group([line('Hi', kofi, 0), line('Bye', kofi, 1), line('Hi', ama, 2)]);
		expect(groups.map(({ text, recipients }) => [text, recipients.map(({ to, source }) => [to, source])])).toEqual([
			[
				'Hi',
				[
					[kofi, 0],
					[ama, 2],
				],
			],
			['Bye', [[kofi, 1]]],
		]);
	});

	it('skip a number that an earlier line gave for the same message', () => {
		const [hi, bye] = group([line('Hi', ama, 0), line('Hi', '020 123 4561', 1), line('Bye', ama, 2)]);
		expect(hi?.skipped).toMatchObject([{ to: ama, source: 1, reason: 'duplicate' }]);
		expect(bye?.skipped).toEqual([]);
	});

	it('skip the excluded numbers of all lines, or of one line', () => {
		const [both] = group([line('Hi', [ama, kofi], 0)], new Set([ama]));
		expect(both).toMatchObject({ recipients: [{ to: kofi }], skipped: [{ to: ama, reason: 'excluded' }] });
		const own = { text: 'Hi', numbers: { value: ama, source: 0, excludedNumbers: new Set([ama]) } };
		expect(group([own, line('Hi', ama, 1)])).toMatchObject([
			{ recipients: [{ to: ama, source: 1 }], skipped: [{ source: 0, reason: 'excluded' }] },
		]);
	});

	it('follow the name of a message, not its identity', () => {
		const lines = [ama, kofi].map((value, source) => ({ text: { message: 'Hi' }, numbers: { value, source } }));
		expect(groupRecipients(lines, ({ message }) => message, {})).toMatchObject([
			{ text: { message: 'Hi' }, recipients: [{ to: ama }, { to: kofi }] },
		]);
	});

	it('makes no group without lines', () => {
		expect(group([])).toEqual([]);
	});
});

describe('the batches of several groups', () => {
	const textOf = (message: string) => ({ sender_id: 'KOFISHOP', message });
	const recipients = [ama, kofi].map((to, position) => ({ to, source: 0, position }));
	const groups = ['Hi', 'Bye'].map((message) => ({ text: textOf(message), recipients }));

	it('gives the requests of a group consecutive names, and its text', () => {
		expect(planGroups(groups, 1).map(({ name, input }) => [name, input])).toEqual([
			['0', { ...textOf('Hi'), to: [ama] }],
			['1', { ...textOf('Hi'), to: [kofi] }],
			['2', { ...textOf('Bye'), to: [ama] }],
			['3', { ...textOf('Bye'), to: [kofi] }],
		]);
	});

	it('continue the names of earlier batches', () => {
		expect(planGroups(groups, undefined, 7).map(({ name, input }) => [name, input.to])).toEqual([
			['7', [ama, kofi]],
			['8', [ama, kofi]],
		]);
	});

	it('makes no request for a group without recipients', () => {
		expect(planGroups([{ text: textOf('Hi'), recipients: [] }])).toEqual([]);
	});
});
