import { make, newId, setText } from './make.js';
import { problemLine } from './problem.js';

/**
 * One field of a form: `name` in the call, `label` for people, `kind` text, tel, number, url, area, lines (a list), select,
 * check or datetime; `options` of a select as `[value, words, group?]`; `empty` is what an empty field means (it is left out by default).
 * @typedef {{name: string, label: string, kind?: string, hint?: string | Node, options?: readonly (readonly string[])[],
 * value?: any, required?: boolean, empty?: null, attributes?: Record<string, unknown>, wide?: boolean}} Field
 */

/**
 * Makes a field with its label, its hint and the place for what is wrong with it.
 * @param {Field} field
 */
export function field({ name, label, kind = 'text', hint, options = [], value, required = false, empty, ...rest }) {
	const id = newId(name);
	const hintId = `${id}-hint`;
	const problemId = `${id}-problem`;
	const problem = make('p', { class: 'problem', id: problemId, hidden: true });
	const common = {
		id,
		name,
		required,
		'aria-describedby': hint ? `${hintId} ${problemId}` : problemId,
		autocomplete: 'off',
		...rest.attributes,
	};
	const input = makeInput(kind, common, options);
	if (value !== undefined) write(value);
	const hintLine = hint ? make('p', { class: 'hint', id: hintId }, hint) : null;
	const labelLine = make('label', { for: id }, label);
	const element =
		kind === 'check'
			? make('div', { class: 'field check' }, make('div', { class: 'check-line' }, input, labelLine), hintLine, problem)
			: make('div', { class: rest.wide ? 'field wide' : 'field' }, labelLine, input, hintLine, problem);

	function write(to) {
		if (kind === 'check') input.checked = to === true;
		else if (Array.isArray(to)) input.value = to.join('\n');
		else input.value = to === null || to === undefined ? '' : String(to);
	}

	function read() {
		if (kind === 'check') return input.checked;
		if (kind === 'lines') return linesOf(input.value);
		if (kind === 'area') return input.value === '' ? empty : input.value;
		const text = input.value.trim();
		if (text === '') return empty;
		return kind === 'number' ? Number(text) : text;
	}

	function say(text) {
		setText(problem, text);
		problem.hidden = text === '';
		if (text) input.setAttribute('aria-invalid', 'true');
		else input.removeAttribute('aria-invalid');
	}
	input.addEventListener('input', () => say(''));
	return { name, label, element, input, read, write, say, labelLine };
}

/** Makes the options of a select, below the heading of their group where they have one. */
export function makeOptions(options) {
	const groups = Map.groupBy(options, ([, , group]) => group ?? '');
	return [...groups].flatMap(([label, members]) => {
		const made = members.map(([value, words]) => make('option', { value }, words));
		return label === '' ? made : [make('optgroup', { label }, ...made)];
	});
}

function makeInput(kind, attributes, options) {
	if (kind === 'area') return make('textarea', { rows: 3, ...attributes });
	if (kind === 'lines') return make('textarea', { rows: 2, spellcheck: 'false', ...attributes });
	if (kind === 'select') {
		return make('select', attributes, ...makeOptions(options));
	}
	const types = { number: 'number', tel: 'tel', url: 'url', check: 'checkbox', datetime: 'datetime-local' };
	const plain = { type: types[kind] ?? 'text', spellcheck: 'false' };
	if (kind === 'number') Object.assign(plain, { step: 'any', inputmode: 'decimal' });
	return make('input', { ...plain, ...attributes });
}

/**
 * Makes a form. What was written stays until it has been taken, and what is wrong is said beside the field it is about.
 * @param {object} options
 * @param {readonly ReturnType<typeof field>[]} options.fields
 * @param {string} options.action words on the button
 * @param {(values: Record<string, any>) => Promise<unknown>} options.submit
 * @param {boolean} [options.keep] keeps what was written after it was taken
 * @param {readonly Node[]} [options.more] further buttons
 * @param {'grid' | 'line'} [options.layout] one field with its button beside it, or many
 */
export function form({ fields, action, submit, keep = false, more = [], layout = 'grid' }) {
	const { element: problem, say } = problemLine();
	const button = make('button', { type: 'submit', class: 'primary' }, action);
	const element = make(
		'form',
		{ class: `form ${layout}`, novalidate: true },
		...fields.map((one) => one.element),
		make('div', { class: 'buttons' }, button, ...more),
		problem,
	);
	let busy = false;

	element.addEventListener('submit', async (event) => {
		event.preventDefault();
		if (busy) return;
		say('');
		for (const one of fields) one.say('');
		const shown = fields.filter((one) => !one.element.hidden);
		const wrong = shown.filter((one) => complain(one));
		if (wrong.length > 0) {
			wrong[0].input.focus();
			return;
		}
		busy = true;
		button.setAttribute('aria-disabled', 'true');
		const written = shown.map((one) => [one, snapshot(one)]);
		try {
			await submit(values(shown));
			// Nothing is taken from under the hands of somebody who has gone on writing meanwhile.
			if (!keep) for (const [one, before] of written) if (snapshot(one) === before) reset(one);
		} catch (error) {
			place(error.message, shown, say);
		} finally {
			busy = false;
			button.removeAttribute('aria-disabled');
		}
	});
	return { element, say };
}

function linesOf(text) {
	return text
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

function snapshot({ input }) {
	return input.type === 'checkbox' ? input.checked : input.value;
}

function reset({ input }) {
	if (input.type === 'checkbox') input.checked = input.defaultChecked;
	else if (input.tagName !== 'SELECT') input.value = input.defaultValue;
}

function complain(one) {
	const { input } = one;
	if (input.validity.valid) return false;
	if (input.validity.valueMissing) one.say('Fill this in.');
	else if (input.validity.badInput) one.say('This is not a number.');
	else one.say(input.validationMessage);
	return true;
}

/** The values of fields by name, without those that are left out. */
export function values(fields) {
	return Object.fromEntries(fields.map((one) => [one.name, one.read()]).filter(([, value]) => value !== undefined));
}

/** Says a refusal beside the fields that it names, and all the rest of it below the form. */
export function place(message, fields, say) {
	const rest = message.split('; ').filter((part) => {
		const about = fields.find(({ name }) => new RegExp(`^${name}[ :.]`).test(part));
		// An item of a list is named by its place, counted from 0.
		const words = part.slice(about?.name.length).replace(/^\.(\d+)/, (_all, index) => `, line ${Number(index) + 1},`);
		about?.say(about.label + words);
		return about === undefined;
	});
	const first = fields.find(({ input }) => input.getAttribute('aria-invalid') === 'true');
	say(rest.join('; '));
	first?.input.focus();
}
