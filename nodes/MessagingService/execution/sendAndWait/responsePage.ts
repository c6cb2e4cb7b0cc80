import type { Question } from './question';
import type { Settlement } from './settlement';

/** Maximum number of characters in a free-text response. */
export const MAX_RESPONSE_CHARACTERS = 4000;

/**
 * Makes the page of a question. Opening it submits nothing, so previews and prefetching are harmless. Its buttons
 * submit the response to the same address.
 * @param audience whether other people were asked too
 * @param problem an error in the submitted response
 */
export function questionPage(
	{ sender, message, answer }: Question,
	audience: 'one' | 'several',
	problem?: string,
): string {
	const controls =
		answer.kind === 'approval'
			? [
					button('approve', answer.approveLabel),
					...(answer.declineLabel ? [button('decline', answer.declineLabel)] : []),
				]
			: [
					'<label for="text">Your answer</label>',
					`<textarea id="text" name="text" rows="5" maxlength="${MAX_RESPONSE_CHARACTERS}" required></textarea>`,
					'<button>Send</button>',
				];
	return page(`Question from ${sender}`, [
		`<p class="from">${escape(sender)} asks:</p>`,
		`<p class="message">${escape(message)}</p>`,
		...(problem === undefined ? [] : [`<p class="problem" role="alert">${escape(problem)}</p>`]),
		'<form method="post">',
		...controls,
		'</form>',
		...(audience === 'several' ? ['<p class="note">Other people were asked too. The first answer counts.</p>'] : []),
		'<p class="note">Nothing is sent until you press a button. You can answer once.</p>',
	]);
}

/**
 * Makes the page that confirms a response.
 * @param given the response in the recipient's words, or the label of the button
 */
export function respondedPage({ sender, message }: Question, given: string): string {
	return page('Answered', [
		'<h1>Thank you, your answer was sent.</h1>',
		`<p class="from">${escape(sender)} asked:</p>`,
		`<p class="message">${escape(message)}</p>`,
		'<p class="from">You answered:</p>',
		`<p class="message">${escape(given)}</p>`,
		'<p class="note">You can close this page.</p>',
	]);
}

/**
 * Makes the page of a closed question. It names no number, because approvers need not know each other's.
 * @param settlement how the question ended, if that is known
 */
export function closedPage(settlement?: Settlement): string {
	const [title, heading, words] = closedWords(settlement);
	return page(title, [
		`<h1>${heading}</h1>`,
		...(settlement ? [`<p class="message">${escape(settlement.message)}</p>`] : []),
		`<p>${escape(words)} You can close this page.</p>`,
	]);
}

function closedWords(settlement: Settlement | undefined): readonly [title: string, heading: string, words: string] {
	switch (settlement?.by) {
		case 'visitor':
			return ['Already answered', 'This question is settled.', `You answered it on ${settlement.at}.`];
		case 'another':
			return [
				'Already answered',
				'This question is settled.',
				`Another person answered it on ${settlement.at}. You need not do anything.`,
			];
		case 'no one':
			return ['Time is up', 'This question is no longer open.', 'The time is up, and no answer came.'];
		case undefined:
			return ['Already answered', 'This question is no longer open.', 'It was already answered, or the time is up.'];
	}
}

function button(response: string, label: string): string {
	return `<button name="answer" value="${response}" class="${response}">${escape(label)}</button>`;
}

const entities: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

function escape(text: string): string {
	return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

// No scripts and no external files, so that the page works on old phones and slow networks.
const style = `
:root{color-scheme:light dark}
body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:0 auto;padding:1.5rem 1rem;background:#fff;color:#1a1a1a}
h1{font-size:1.3rem;margin:0 0 1rem}
.from,.note{color:#595959;font-size:1rem;margin:0 0 .5rem}
.message{white-space:pre-wrap;overflow-wrap:anywhere;border-left:4px solid #8a8a8a;padding-left:.8rem;margin:0 0 1.5rem}
.problem{color:#b00020;font-weight:bold}
button,textarea{display:block;box-sizing:border-box;width:100%;font:inherit;border-radius:.5rem;margin:0 0 .8rem}
button{min-height:3rem;padding:.6rem;border:2px solid #0b5cad;background:#0b5cad;color:#fff;font-weight:bold;cursor:pointer}
button.decline{background:transparent;color:inherit;border-color:#767676}
textarea{border:1px solid #767676;padding:.6rem;background:transparent;color:inherit}
label{display:block;margin-bottom:.3rem}
.note{margin-top:1rem}
@media(prefers-color-scheme:dark){
body{background:#121212;color:#eee}.from,.note{color:#b5b5b5}.problem{color:#ff8a80}button{border-color:#2f7fd1;background:#1c66b3}
}`;

function page(title: string, body: readonly string[]): string {
	return [
		'<!DOCTYPE html>',
		'<html lang="en">',
		'<head>',
		'<meta charset="utf-8">',
		'<meta name="viewport" content="width=device-width, initial-scale=1">',
		'<meta name="robots" content="noindex">',
		`<title>${escape(title)}</title>`,
		`<style>${style}</style>`,
		'</head>',
		'<body>',
		...body,
		'</body>',
		'</html>',
	].join('\n');
}
