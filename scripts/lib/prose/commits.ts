import { execFileSync } from 'node:child_process';

/** Commits after this one follow the rules of subjects. */
export const RULES_SINCE = '4f23a3a836257d1d7a93d6750ad5cd47c8448da4';

/** Characters of a subject. */
export const MAX_SUBJECT = 72;

/** The commits to check, or why they cannot be read. */
export type History =
	| { readonly commits: ReadonlyArray<{ id: string; subject: string }> }
	| { readonly skipped: string };

/** Verbs that look like another form of a verb. */
const imperative =
	/^(alias|bias|bring|embed|exceed|feed|focus|need|ping|proceed|ring|seed|speed|spring|string|succeed|swing)$/;
/** Words that begin a subject without a verb. */
const otherWord =
	/^(a|an|the|all|any|each|every|some|this|that|these|those|no|not|only|what|where|who|why|how|if|in|on|of|for|from|with|without|by|as|at|to|it|its|they|we|our|more|less|new|now|also|and|or|but|is|are)$/;

/**
 * Checks the subject of a commit: at most 72 characters, in the imperative, without a period.
 *
 * @param subject the first line of the message
 * @returns its mistakes; empty if it is fine
 */
export function checkSubject(subject: string): string[] {
	const problems: string[] = [];
	if (subject.length > MAX_SUBJECT) problems.push(`${subject.length} characters, at most ${MAX_SUBJECT}`);
	if (subject.endsWith('.')) problems.push('a period at its end');
	const text = subject.replace(/^[A-Z][\w/ .-]{0,20}: /, '');
	const first = /^["“]?([\p{L}’'-]+)/u.exec(text)?.[1]?.toLowerCase() ?? '';
	if (!isImperative(first)) problems.push(`begins with “${text.split(' ')[0]}”: begin with a verb such as Add or Fix`);
	return problems;
}

function isImperative(word: string): boolean {
	if (word === '' || otherWord.test(word)) return false;
	return imperative.test(word) || !/(ed|ing|[^s]s)$/.test(word);
}

/**
 * Lists the commits that the rules hold for. Merges have a subject of their own.
 *
 * @param folder the checkout
 * @param base the commit after which they hold
 */
export function readHistory(folder: string, base = RULES_SINCE): History {
	const git = (...args: string[]) =>
		execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
	const succeeds = (...args: string[]) => {
		try {
			git(...args);
			return true;
		} catch {
			return false;
		}
	};
	if (!succeeds('rev-parse', '--git-dir')) return { skipped: 'this is no git checkout' };
	if (!succeeds('merge-base', '--is-ancestor', base, 'HEAD')) {
		return { skipped: `commit ${base} is not in this history (a shallow clone, for example)` };
	}
	const lines = git('log', '--no-merges', '--format=%h%x00%s', `${base}..HEAD`).split('\n');
	return {
		commits: lines
			.filter((line) => line !== '')
			.map((line) => {
				const [id = '', subject = ''] = line.split('\0');
				return { id, subject };
			}),
	};
}
