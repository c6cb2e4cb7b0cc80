import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkFiles } from '../../scripts/lib/prose/check';
import { codeProse } from '../../scripts/lib/prose/code';
import { proseFiles, readProse } from '../../scripts/lib/prose/files';
import { htmlProse } from '../../scripts/lib/prose/html';
import { markdownProse } from '../../scripts/lib/prose/markdown';
import { checkProse, wordRules } from '../../scripts/lib/prose/rules';
import { type Audience, countWords, sentencesOf } from '../../scripts/lib/prose/text';
import { workflowProse } from '../../scripts/lib/prose/workflow';

let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'prose-'));
});
afterEach(() => {
	rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
	mkdirSync(dirname(join(folder, path)), { recursive: true });
	writeFileSync(join(folder, path), text);
}

const rulesIn = (text: string, audience: Audience = 'docs') =>
	checkProse({ audience, line: 1, text }).map(({ rule }) => rule);

/** By rule: sentences that it rejects, and sentences that it must let pass. */
const examples: Readonly<Record<string, { rejects: readonly string[]; accepts: readonly string[] }>> = {
	shall: { rejects: ['It shall run again.'], accepts: ['Marshall is a name, and a shallow copy is fine.'] },
	anew: { rejects: ['Start anew.'], accepts: ['Start a new run.'] },
	'for ever': { rejects: ['Wait for ever.'], accepts: ['It is kept forever, for every sender.'] },
	nobody: { rejects: ['Nobody reads it.', 'Somebody has paid.'], accepts: ['No one reads the body.'] },
	tells: {
		rejects: ['The README tells all steps.', 'You are told of it.'],
		accepts: [
			'Only the number tells them apart.',
			'It sends nothing and tells you.',
			'Tell the agent about your shop.',
		],
	},
	stands: {
		rejects: ['What stands in the response is read.', 'The clock stood still.'],
		accepts: ['A local sandbox stands in for the service.', 'The title stands alone in a log.', 'Use a standard name.'],
	},
	'what is': {
		rejects: ['Only what was sent is charged.', 'What cannot be read is skipped.', 'Give what is the same for both.'],
		accepts: ['What is a sender ID?', 'What happens if the connection drops?', 'Choose what to do next.'],
	},
	'what it': {
		rejects: ['See what it costs.'],
		accepts: ['What does it cost?', 'Choose what you send.', 'What it holds'],
	},
	'became of': { rejects: ['Look what became of it.'], accepts: ['The message became old.'] },
	'who without a noun': {
		rejects: ['Who texts STOP gets nothing more.', 'It goes to who wants it.', 'Only who knows it can start it.'],
		accepts: [
			'Who can send?',
			'People who opted out get nothing.',
			'Who are you writing to?',
			'Everyone who wants it gets it.',
		],
	},
	'where for if': {
		rejects: [
			'Undefined where there is no row.',
			'It waits where nothing is known.',
			'Where it is empty, all are sent.',
			'It asks only where the service is silent.',
			'It fails where it does\nnot fit.',
		],
		accepts: [
			'Open the page where it is shown.',
			'Where is the key?',
			'The folder where the tests are.',
			'Where to find the key',
			'Where n8n shows the link.',
			'Say not only where to click.',
		],
	},
	'so that twice': {
		rejects: ['It waits so that you see it, so that you can act.'],
		accepts: ['It waits so that you see it.'],
	},
	'taken for': {
		rejects: ['It is taken for a reply.'],
		accepts: ['The port is taken.', 'It is taken from the first item.'],
	},
	refuse: {
		rejects: ['The service refused it.', 'Every refusal is logged.'],
		accepts: ['The connection was refused.', 'It refused the connection.', 'A rejected request.'],
	},
	'pass on': {
		rejects: ['Messages are passed on.', 'Pass On Inbound SMS'],
		accepts: ['The test passes on Node 20.', 'Pass one number on each line.'],
	},
	'post as a noun': {
		rejects: ['The same post starts it twice.', 'Unknown Posts'],
		accepts: ['It posts JSON to the URL.', 'A provider that posts again.', 'Send a POST request.', 'Posts the body.'],
	},
	'answer for response': {
		rejects: ['The service answers with an error.', 'It answered with 404.'],
		accepts: ['The customer answers the question.', 'An answer within 2 hours.'],
	},
	'interface for API': {
		rejects: ['The interface has no such field.'],
		accepts: ['The user interface', 'All network interfaces'],
	},
	'text for message': {
		rejects: [
			'Inbound texts start it.',
			'Someone texts STOP.',
			'Choose who may text you.',
			'People who texted you.',
			'Each text costs money.',
		],
		accepts: [
			'The text of the message',
			'Text STOP to opt out.',
			'We will text you.',
			'A text field',
			'A plain text file',
			'Start with inbound messages.',
		],
	},
	double: {
		rejects: ['Doubles are skipped.', 'Invalid numbers, doubles and others are skipped.'],
		accepts: ['The wait doubles with each retry.', 'A double click opens it.'],
	},
	'nothing was sent': {
		rejects: ['Nothing was sent and nothing was charged.'],
		accepts: ['Nothing was sent or charged.', 'Nothing of it was sent.'],
	},
	'under way': { rejects: ['Two requests are under way.'], accepts: ['On its way under the limit.'] },
	'not tried': { rejects: ['The rest was not tried.'], accepts: ['The rest was not attempted.'] },
	booking: { rejects: ['It starts once for each booking.'], accepts: ['Your salon booking reminder'] },
	pace: { rejects: ['It keeps a pace of your own.'], accepts: ['Leave a space.'] },
	stranger: { rejects: ['Strangers get a 404.'], accepts: ['A strange answer'] },
	'as new': { rejects: ['The sandbox is as new.'], accepts: ['They are listed as new contacts.'] },
	'so many': { rejects: ['The cost of so many messages'], accepts: ['There are so many that it takes a minute.'] },
	'a no': {
		rejects: ['Any no is final.', 'Without a clear yes, it waits.'],
		accepts: ['A no-code builder', 'A yes or no question'],
	},
	'American spelling': {
		rejects: ['The behaviour of it', 'It was cancelled.', 'An unrecognised number', 'A dialling code', 'The licence'],
		accepts: ['The behavior of it', 'It was canceled.', 'A promise, otherwise an exercise', 'License', 'Cancellation'],
	},
	'long sentence': {
		rejects: [`${'word '.repeat(20)}ends.`],
		accepts: [`${'word '.repeat(19)}ends. ${'Word '.repeat(19)}ends.`, `${'word '.repeat(18)}\`a b c d\` ends.`],
	},
	semicolon: { rejects: ['It ends; nothing was sent.'], accepts: ['Write `a; b` there.', 'Use &amp;nbsp here.'] },
	colons: { rejects: ['Note: it is this: a key.'], accepts: ['Note: at 10:30 see http://a.example:80/ or `a: b: c`.'] },
};

describe('each rule', () => {
	it.each(Object.entries(examples).flatMap(([rule, { rejects }]) => rejects.map((text) => [rule, text] as const)))(
		'%s rejects: %s',
		(rule, text) => {
			expect(rulesIn(text)).toContain(rule);
		},
	);

	it.each(Object.entries(examples).flatMap(([rule, { accepts }]) => accepts.map((text) => [rule, text] as const)))(
		'%s accepts: %s',
		(rule, text) => {
			expect(rulesIn(text)).not.toContain(rule);
		},
	);

	it('has examples, unless it is for names', () => {
		const forTexts = wordRules.filter(({ audiences }) => audiences?.length !== 0);
		expect(forTexts.map(({ rule }) => rule).filter((rule) => !(rule in examples))).toEqual([]);
	});

	it('checks words, but no lengths, in comments', () => {
		const text = `${'word '.repeat(30)}; and so on, and nobody cares.`;
		expect(rulesIn(text, 'code')).toEqual(['nobody']);
	});

	it.each(['tell request', 'first refusal', 'pass on url', 'nobody'])('finds %j in a name', (name) => {
		expect(rulesIn(name, 'name')).toHaveLength(1);
	});

	it.each(['text of', 'what is new', 'teller'])('accepts %j as a name', (name) => {
		expect(rulesIn(name, 'name')).toEqual([]);
	});

	it('names the line of the words that it found', () => {
		const [finding] = checkProse({ audience: 'docs', line: 10, text: 'One is fine.\nAnother is\nstarted anew.' });
		expect(finding).toMatchObject({ line: 12, rule: 'anew', found: 'anew' });
	});

	it('counts the words of each name in a cell that lists names', () => {
		const text = `${'Some Name, '.repeat(15)}Other Name`;
		expect(checkProse({ audience: 'docs', line: 1, text, isCell: true })).toEqual([]);
		expect(checkProse({ audience: 'docs', line: 1, text })).toMatchObject([{ rule: 'long sentence' }]);
	});

	it('limits the description of a field as a whole', () => {
		const text = `${'Word '.repeat(11)}ends. ${'Word '.repeat(11)}ends.`;
		expect(checkProse({ audience: 'shown', line: 1, text, isDescription: true })).toMatchObject([
			{ rule: 'long description', found: '24 words' },
		]);
		expect(checkProse({ audience: 'shown', line: 1, text })).toEqual([]);
	});
});

describe('sentences', () => {
	const split = (text: string) => sentencesOf({ text, line: 1 }).map((sentence) => sentence.text);

	it.each([
		['One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
		['Give a number, e.g. +233 or i.e. One.', ['Give a number, e.g. +233 or i.e. One.']],
		['He said “no.” Then he left.', ['He said “no.”', 'Then he left.']],
		['It costs 0.05. `npm test` runs.', ['It costs 0.05.', '‹› runs.']],
		['n8n 2.41 is fine. n8n starts.', ['n8n 2.41 is fine.', 'n8n starts.']],
	])('splits %j into sentences', (text, sentences) => {
		expect(split(text)).toEqual(sentences);
	});

	it('count a number with its unit as one word', () => {
		expect(countWords('Retry after 5 s, 30 min and 10 % more.')).toBe(7);
	});

	it('count code, URLs and values as one word, and no dashes', () => {
		const [sentence] = split('Open https://a.example/b – then `a b c` and {{ $json.to }} - now');
		expect(countWords(sentence ?? '')).toBe(7);
	});
});

describe('the reader of', () => {
	const lines = (texts: ReadonlyArray<{ line: number; text: string }>) =>
		texts.map(({ line, text }) => [line, text] as const);

	it('Markdown takes headings, paragraphs, items, cells and alternative texts, and no code', async () => {
		const markdown = [
			'# A `title`',
			'',
			'Some **bold** text',
			'over [two](https://a.example) lines.',
			'',
			'- An item',
			'',
			'```js',
			'nobody();',
			'```',
			'',
			'![A picture](a.png)',
			'',
			'| head | other |',
			'| ---- | ----- |',
			'| a; b | `c`   |',
		].join('\n');
		expect(lines(await markdownProse(markdown, { audience: 'docs' }))).toEqual([
			[1, 'A ‹›'],
			[3, 'Some bold text\nover two lines.'],
			[6, 'An item'],
			[12, 'A picture'],
			[14, 'head'],
			[14, 'other'],
			[16, 'a; b'],
			[16, '‹›'],
		]);
		const texts = await markdownProse(markdown, { audience: 'docs' });
		expect(texts.flatMap(checkProse)).toEqual([]);
	});

	it('HTML takes visible text, and labels that are read aloud', () => {
		const html = '<p>One <b>bold</b> word</p>\n<script>let a = 1;</script>\n<input\n aria-label="To whom" class="a b">';
		expect(lines(htmlProse(html, 5))).toEqual([
			[5, 'One bold word'],
			[8, 'To whom'],
		]);
	});

	it('workflows takes notes, names and messages, and no programs', async () => {
		const workflow = {
			name: 'A reply',
			nodes: [
				{ parameters: { content: '## A note\nwith `code`' } },
				{
					parameters: {
						message: '=Your order {{ $json.id }} has come',
						jsCode: 'let nobody = 1;',
						to: '={{ $json.to }}',
					},
				},
			],
			connections: { a: { node: 'A reply' } },
		};
		expect(lines(await workflowProse(JSON.stringify(workflow, null, '\t')))).toEqual([
			[2, 'A reply'],
			[6, 'A note'],
			[6, 'with ‹›'],
			[11, 'Your order {{ $json.id }} has come'],
		]);
	});

	it('code takes comments, titles, names and strings that users see', () => {
		const source = [
			"import a from 'some module';",
			'/**',
			' * Sends it.',
			' *',
			' * @example',
			' * send();',
			' */',
			"const toldOf = 'not // a comment';",
			'// One line',
			'// and the next.',
			"it.each([])('rejects a key', () => {});",
			'const field = { displayName: "To", type: "string", description: `Number of ${toldOf} ` + "or <b>more</b>" };',
			"db.prepare('SELECT * FROM a');",
			'run(`<p>A page</p>`);',
		].join('\n');
		const texts = codeProse(source, { path: 'a.ts', readsStrings: true });
		const of = (audience: Audience) => lines(texts.filter((each) => each.audience === audience));
		expect(of('code').map(([line, text]) => [line, text.trim()])).toEqual([
			[11, 'rejects a key'],
			[2, 'Sends it.'],
			[9, 'One line\n and the next.'],
		]);
		expect(of('name').map(([, text]) => text)).toEqual(['told of', 'field', 'display name', 'type', 'description']);
		expect(of('shown')).toEqual([
			[8, 'not // a comment'],
			[11, 'rejects a key'],
			[12, 'To'],
			[12, 'Number of ‹› or more'],
			[14, 'A page'],
		]);
		expect(texts.filter(({ isDescription }) => isDescription)).toHaveLength(1);
		const ofTest = codeProse(source, { path: 'a.test.ts', readsStrings: false });
		expect(ofTest.filter(({ audience }) => audience === 'shown')).toEqual([]);
	});

	it('pages in TSX takes the text of elements as a whole, and attributes that users read', () => {
		const source = [
			'const columns = [{ title: `Cost (${currency})`, draw: () => <b class="number wide">{cost}</b> }];',
			'const page = (',
			'	<p>',
			'		Open the <a href="/a b">phone</a>. See http://a.b <Time at={at} />{" "}',
			'		or wait {count} s.',
			'	</p>',
			');',
			'const field = <Field label="Name" hint="At most 10" d="M4 5 h6" />;',
		].join('\n');
		const shown = codeProse(source, { path: 'a.tsx', readsStrings: true }).filter(
			({ audience }) => audience === 'shown',
		);
		expect(shown.map(({ line, text }) => [line, text])).toEqual([
			[1, 'Cost (‹›)'],
			[3, 'Open the phone. See http://a.b ‹› or wait ‹› s.'],
			[8, 'Name'],
			[8, 'At most 10'],
		]);
	});

	it('recorded errors takes each message once', async () => {
		write('a.golden.md', '## Nobody\n\n> It failed [item 0]\n\n> It failed [item 1]\n\n> {"a": "nobody"}\n');
		expect(lines(await readProse(folder, 'a.golden.md'))).toEqual([[3, 'It failed']]);
	});
});

describe('a checkout', () => {
	beforeEach(() => {
		execFileSync('git', ['init', '--quiet'], { cwd: folder });
		write('README.md', 'Start anew.\n');
		write('shared/a.ts', '// Nobody reads it.\n');
		write('.gitignore', 'dist/\n');
		write('dist/b.md', 'Start anew.\n');
	});

	const check = (paths: string[], exceptions: Parameters<typeof checkFiles>[1]['exceptions'] = []) =>
		checkFiles(folder, { paths, exceptions });

	it('is read without files that git ignores', () => {
		expect(proseFiles(folder)).toEqual(['README.md', 'shared/a.ts']);
	});

	it('has its findings by file', async () => {
		const { files } = await check([]);
		expect(files.map(({ path, findings }) => [path, findings.map(({ rule }) => rule)])).toEqual([
			['README.md', ['anew']],
			['shared/a.ts', ['nobody']],
		]);
	});

	it('can be checked in part', async () => {
		expect((await check(['shared/'])).files.map(({ path }) => path)).toEqual(['shared/a.ts']);
	});

	it('may have exceptions, and reports those that nothing needs', async () => {
		const used = { path: 'README.md', rule: 'anew', text: 'Start', reason: 'a test' };
		const unused = { path: 'README.md', rule: 'shall', reason: 'a test' };
		const result = await check([], [used, unused]);
		expect(result.files.map(({ path }) => path)).toEqual(['shared/a.ts']);
		expect(result.unused).toEqual([unused]);
	});
});
